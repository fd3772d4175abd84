#include "codegen/te/intervals.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace hone::te {

using ir::DType;
using ir::ExprKind;

namespace {

// What one operation of f32 is off, with room.
constexpr double kRounding = 0x1p-20;

bool rounds(ExprKind kind) {
  constexpr ExprKind kExact[] = {ExprKind::kConst, ExprKind::kVar, ExprKind::kLoad, ExprKind::kSelect, ExprKind::kMin, ExprKind::kMax};
  return std::find(std::begin(kExact), std::end(kExact), kind) == std::end(kExact);
}

bool is_whole(DType dtype) { return !ir::is_float(dtype); }

}  // namespace

double places_of(const std::vector<Axis>& axes) {
  double out = 1;
  for (const Axis& axis : axes) out *= static_cast<double>(axis.extent);
  return out;
}

ExprKind joins_by(const Combiner& combiner, size_t component) {
  const Expr join = combiner.combine[component], acc = combiner.acc[component], val = combiner.val[component];
  const bool joins = join->args.size() == 2 && ((join->args[0] == acc && join->args[1] == val) || (join->args[0] == val && join->args[1] == acc));
  return joins && (join->kind == ExprKind::kAdd || join->kind == ExprKind::kMul) ? join->kind : ExprKind::kConst;
}

Interval Intervals::of(Tensor tensor) const {
  const auto it = tensors_.find(tensor);
  return it == tensors_.end() ? device_range(tensor->dtype) : common(it->second, device_range(tensor->dtype));
}

Interval Intervals::of(Expr e) {
  if (const auto it = known_.find(e); it != known_.end()) return it->second;
  const Interval out = fitting(e, compute(e));
  return known_[e] = out;
}

// Floats round, and numbers of up to 32 bits wrap.
Interval Intervals::fitting(Expr e, const Interval& interval) const {
  const DType dtype = e->type.dtype;
  if (ir::is_float(dtype)) return widened(interval, rounds(e->kind) ? kRounding : 0);
  if (is_wide(dtype) || interval.within(device_range(dtype))) return interval;
  return device_range(dtype);
}

Interval Intervals::compute(Expr e) {
  switch (e->kind) {
    case ExprKind::kConst:
      if (ir::is_float(e->type.dtype)) return std::isnan(e->fval) ? Interval{} : Interval{e->fval, e->fval};
      if (e->type.dtype == DType::kU64 && e->ival < 0) return {static_cast<double>(static_cast<uint64_t>(e->ival)), 0x1p64};
      return {static_cast<double>(e->ival), static_cast<double>(e->ival)};
    case ExprKind::kVar: return variable(e);
    case ExprKind::kLoad: return of(e->buffer);
    case ExprKind::kCast: return cast(e);
    case ExprKind::kSelect: return hull(of(e->args[1]), of(e->args[2]));
    case ExprKind::kMad: return joined(ExprKind::kAdd, is_whole(e->type.dtype), joined(ExprKind::kMul, is_whole(e->type.dtype), of(e->args[0]), of(e->args[1])), of(e->args[2]));
    case ExprKind::kCall: return mapped(e->intrinsic, settled(e->args[0]), settled(e->args.back()));
    default: return operation(e);
  }
}

Interval Intervals::variable(Expr e) const {
  if (const auto it = variables_.find(e); it != variables_.end()) return it->second;
  if (e->type.dtype == DType::kIndex && e->bound() > 0) return {0, static_cast<double>(e->bound() - 1)};
  return is_wide(e->type.dtype) ? Interval{} : device_range(e->type.dtype);
}

// A float is cut, and saturates; one that is no number is 0.
Interval Intervals::cast(Expr e) {
  const DType from = e->args[0]->type.dtype, to = e->type.dtype;
  const Interval x = of(e->args[0]);
  if (ir::is_model_only(to) || ir::is_model_only(from)) return device_range(to);
  if (!ir::is_float(from) || ir::is_float(to)) return x;
  const Interval whole{std::min(std::ceil(x.low), 0.0), std::max(std::floor(x.high), 0.0)};
  return is_wide(to) ? whole : common(whole, device_range(to));
}

Interval Intervals::operation(Expr e) {
  if (e->type.dtype == DType::kBool) return {0, 1};
  const bool sums = e->kind == ExprKind::kAdd || e->kind == ExprKind::kSub || e->kind == ExprKind::kMul;
  if (e->args.size() != 2 || e->kind == ExprKind::kBitcast) return device_range(e->type.dtype);
  const Expr a = e->args[0], b = e->args[1];
  const Interval out = sums ? joined(e->kind, is_whole(e->type.dtype), of(a), of(b)) : joined(e->kind, is_whole(e->type.dtype), settled(a), settled(b));
  return e->kind == ExprKind::kShl ? Interval{} : out;
}

void Intervals::follow(const Compute& compute) {
  known_.clear();
  variables_.clear();
  if (compute.reduce) accumulate(compute);
  for (size_t i = 0; i < compute.outputs.size(); i++) {
    const Expr made = !compute.finish.empty() ? compute.finish[i] : compute.reduce ? compute.reduce->combiner.acc[i] : compute.value[i];
    tensors_[compute.outputs[i]] = of(made);
  }
}

void Intervals::accumulate(const Compute& compute) {
  const Combiner& combiner = compute.reduce->combiner;
  const double count = places_of(compute.reduce->axes);
  std::vector<Interval> all;
  for (size_t i = 0; i < combiner.acc.size(); i++) all.push_back(accumulated(compute, i, count));
  known_.clear();
  for (size_t i = 0; i < combiner.acc.size(); i++) variables_[combiner.acc[i]] = fitting(combiner.acc[i], all[i]);
}

Interval Intervals::accumulated(const Compute& compute, size_t component, double count) {
  const Combiner& combiner = compute.reduce->combiner;
  if (count == 0) return of(combiner.identity[component]);
  const Expr value = compute.value[component];
  const double slack = ir::is_float(value->type.dtype) ? count * kRounding : 0;
  switch (joins_by(combiner, component)) {
    case ExprKind::kAdd: return widened(sum_of(of(value), count), slack);
    case ExprKind::kMul: return widened(product_of(of(value), count), slack);
    default: return chosen(combiner, component, settled(value));
  }
}

// What chooses among its values has none that is not among them; where it chooses none, its identity, which may be an end of the type.
Interval Intervals::chosen(const Combiner& combiner, size_t component, const Interval& value) {
  Interval all = value;
  const Interval identity = of(combiner.identity[component]), range = device_range(combiner.acc[component]->type.dtype);
  if (identity.low > range.low && identity.high < range.high) all = hull(all, identity);
  for (const auto* vars : {&combiner.acc, &combiner.val})
    for (Var var : *vars) variables_[var] = is_wide(var->type.dtype) ? Interval{} : device_range(var->type.dtype);
  variables_[combiner.acc[component]] = variables_[combiner.val[component]] = all;
  const std::unordered_map<Expr, Interval> before = std::exchange(known_, {});
  const Interval made = of(combiner.combine[component]);
  known_ = before;
  return made.within(all) ? all : Interval{};
}

}  // namespace hone::te
