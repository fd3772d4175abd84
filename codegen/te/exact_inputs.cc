#include "codegen/te/exact_inputs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace hone::te {
namespace {

using ir::ExprKind;
using ir::Intrinsic;

constexpr int64_t kInputMax = 1024;
constexpr double kWholeMax = 2048, kDeviations = 7;
constexpr double kNever = std::numeric_limits<double>::infinity();

bool gives_whole(Intrinsic i) {
  return i == Intrinsic::kAbs || i == Intrinsic::kFloor || i == Intrinsic::kCeil || i == Intrinsic::kRound || i == Intrinsic::kTrunc;
}

double iterations(const std::vector<Axis>& axes) {
  double out = 1;
  for (const Axis& a : axes) out *= static_cast<double>(a.extent);
  return out;
}

// How large values are at most; kNever where they may be no whole numbers.
class Sizes {
 public:
  Sizes(const Program& program, int64_t input_max) {
    for (Tensor input : program.inputs) tensors_[input] = static_cast<double>(input_max);
    for (const Compute& compute : program.computes) add(compute);
  }
  double largest() const { return largest_; }

 private:
  void add(const Compute& compute) {
    for (size_t i = 0; i < compute.outputs.size(); i++) tensors_[compute.outputs[i]] = of_output(compute, i);
    for (Tensor output : compute.outputs) largest_ = std::max(largest_, tensors_[output]);
  }

  double of_output(const Compute& compute, size_t i) {
    if (!compute.reduce) return of(compute.value[i]);
    for (size_t v = 0; v < compute.value.size(); v++) vars_[compute.reduce->combiner.acc[v]] = joined(compute, v);
    return compute.finish.empty() ? vars_[compute.reduce->combiner.acc[i]] : of(compute.finish[i]);
  }

  double joined(const Compute& compute, size_t i) {
    const Combiner& combiner = compute.reduce->combiner;
    const double term = of(compute.value[i]), terms = iterations(compute.reduce->axes);
    const Expr join = combiner.combine[i];
    if (!ir::is_float(join->type.dtype)) return term;
    const bool joins = join->args.size() == 2 && join->args[0] == combiner.acc[i] && join->args[1] == combiner.val[i];
    if (!joins) return kNever;
    if (join->kind == ExprKind::kMin || join->kind == ExprKind::kMax) return term;
    return join->kind == ExprKind::kAdd ? term * std::min(terms, kDeviations * std::sqrt(terms)) : kNever;
  }

  double of(Expr e) {
    if (const auto known = sizes_.find(e); known != sizes_.end()) return known->second;
    const double size = ir::is_float(e->type.dtype) ? of_float(e) : of_others(e);
    sizes_[e] = size;
    return size;
  }

  // What is of another type may follow from floats.
  double of_others(Expr e) {
    if (e->kind == ExprKind::kLoad && tensors_[e->buffer] == kNever) return kNever;
    if (e->kind == ExprKind::kCast && ir::is_float(e->args[0]->type.dtype)) return kNever;  // a float of any size is no index
    const bool rounds = std::any_of(e->args.begin(), e->args.end(), [&](Expr a) { return of(a) == kNever; });
    return rounds ? kNever : 0;
  }

  double of_float(Expr e) {
    switch (e->kind) {
      case ExprKind::kConst: return std::floor(e->fval) == e->fval ? std::fabs(e->fval) : kNever;
      case ExprKind::kVar: return vars_.count(e) ? vars_[e] : kNever;
      case ExprKind::kLoad: return std::max(of_others(e), std::max(tensors_[e->buffer], e->other ? of(e->other) : 0));
      case ExprKind::kCast: return ir::is_float(e->args[0]->type.dtype) ? of(e->args[0]) : kNever;
      case ExprKind::kAdd:
      case ExprKind::kSub: return of(e->args[0]) + of(e->args[1]);
      case ExprKind::kMul: return product(of(e->args[0]), of(e->args[1]));
      case ExprKind::kMad: return product(of(e->args[0]), of(e->args[1])) + of(e->args[2]);
      case ExprKind::kMin:
      case ExprKind::kMax: return std::max(of_bound(e->args[0]), of_bound(e->args[1]));
      case ExprKind::kSelect: return std::max({of(e->args[0]), of_bound(e->args[1]), of_bound(e->args[2])});
      case ExprKind::kCall: return gives_whole(e->intrinsic) ? of(e->args[0]) : kNever;
      default: return kNever;
    }
  }

  static double product(double a, double b) { return a == kNever || b == kNever ? kNever : a * b; }

  // A constant beyond all values is no value: the other operand is.
  double of_bound(Expr e) { return ir::is_number(e) && ir::is_const(e) && std::fabs(e->fval) > kWholeMax ? 0 : of(e); }

  std::unordered_map<Tensor, double> tensors_;
  std::unordered_map<Expr, double> vars_, sizes_;
  double largest_ = 0;
};

}  // namespace

int64_t exact_inputs_max(const Program& program) {
  int64_t fits = 0, exceeds = kInputMax + 1;
  while (exceeds - fits > 1) {
    const int64_t n = (fits + exceeds) / 2;
    (Sizes(program, n).largest() <= kWholeMax ? fits : exceeds) = n;
  }
  return fits;
}

}  // namespace hone::te
