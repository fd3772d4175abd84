#include "codegen/te/ops/reductions.h"

#include <algorithm>

#include "base/cat.h"
#include "codegen/te/ops/broadcast.h"
#include "codegen/te/ops/elementwise.h"
#include "codegen/te/ops/scalar_functions.h"

namespace hone::te {
namespace {

// Spatial axes for the kept dimensions, reduce axes for the others, and the index into x.
struct Domain {
  std::vector<Axis> axes, reduce_axes;
  std::vector<Sym> index;
  double count = 1;
};

Domain domain_of(Builder& b, Tensor x, const std::vector<int64_t>& reduced, bool keep_dims) {
  Domain out;
  const std::vector<std::string> names = map_axis_names(b, x->shape, {});
  for (size_t d = 0; d < x->shape.size(); d++) {
    const std::string name = d < names.size() ? names[d] : cat("d", d);
    if (std::find(reduced.begin(), reduced.end(), static_cast<int64_t>(d)) == reduced.end()) {
      out.axes.push_back(b.axis(name, x->shape[d]));
      out.index.push_back(b.sym(out.axes.back()));
      continue;
    }
    out.reduce_axes.push_back(b.axis("r" + name, x->shape[d]));
    out.index.push_back(b.sym(out.reduce_axes.back()));
    out.count *= static_cast<double>(x->shape[d]);
    if (keep_dims) out.axes.push_back(b.axis(name, 1));
  }
  return out;
}

Status check_axes(Tensor x, const std::vector<int64_t>& axes) {
  std::vector<int64_t> sorted = axes;
  std::sort(sorted.begin(), sorted.end());
  const bool twice = std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
  if (twice || (!sorted.empty() && (sorted.front() < 0 || sorted.back() >= static_cast<int64_t>(x->shape.size()))))
    return Error{ErrorCode::kBadModel, cat("the axes do not fit an input of shape ", shape_text(x->shape))};
  return ok_status();
}

}  // namespace

Result<Tensor> reduce_over(Builder& b, std::string_view name, Tensor x, const ReductionParams& params, const ReductionRule& rule) {
  HONE_TRY(check_axes(x, params.axes));
  const Domain d = domain_of(b, x, params.axes, params.keep_dims);
  Sym value = b.at(x, d.index);
  if (rule.value) value = rule.value(value);
  const auto finish = rule.finish ? std::function<Sym(Sym)>([&](Sym acc) { return rule.finish(acc, d.count); }) : nullptr;
  return b.reduce(name, d.axes, d.reduce_axes, rule.fold, value, finish);
}

Result<Tensor> arg_extreme(Builder& b, Tensor x, const ArgParams& params) {
  HONE_TRY(check_axes(x, {params.axis}));
  const Domain d = domain_of(b, x, {params.axis}, params.keep_dims);
  if (x->shape[static_cast<size_t>(params.axis)] == 0) return Error{ErrorCode::kBadModel, "an empty dimension has no largest element"};
  ir::Arena& a = *b.program().arena;
  const ir::Type type{x->dtype, 1}, place{DType::kI32, 1};
  Combiner c;
  c.acc = {a.var("best", type), a.var("at", place)};
  c.val = {a.var("value", type), a.var("place", place)};
  c.identity = {a.constant(type, fold_identity(params.smallest ? Fold::kMin : Fold::kMax, x->dtype)), a.integer(DType::kI32, -1)};
  const Expr better = params.smallest ? a.lt(c.val[0], c.acc[0]) : a.lt(c.acc[0], c.val[0]);
  const Expr earlier = params.last_of_equals ? a.lt(c.acc[1], c.val[1]) : a.logical_or(a.lt(c.acc[1], a.integer(DType::kI32, 0)),
                         a.logical_and(a.lt(c.val[1], c.acc[1]), a.le(a.integer(DType::kI32, 0), c.val[1])));
  const Expr wins = a.logical_or(better, a.logical_and(a.eq(c.acc[0], c.val[0]), earlier));
  c.combine = {a.select(wins, c.val[0], c.acc[0]), a.select(wins, c.val[1], c.acc[1])};
  const Expr value = b.at(x, d.index).expr, position = a.cast(place, d.reduce_axes[0].var);
  return b.reduce_tuple("Y", d.axes, Reduce{d.reduce_axes, c}, {value, position}, {a.cast({DType::kI64, 1}, c.acc[1])})[0];
}

Result<Tensor> reduce_differences(Builder& b, std::string_view name, Tensor x, Tensor center, const std::vector<int64_t>& axes) {
  HONE_TRY(check_axes(x, axes));
  const Domain d = domain_of(b, x, axes, true);
  const Sym difference = b.at(x, d.index) - b.at(center, broadcast_index(b, d.index, center->shape));
  return b.reduce(name, d.axes, d.reduce_axes, Fold::kSum, difference * difference, [&](Sym acc) { return acc / d.count; });
}

Result<Tensor> hard_choice(Builder& b, Tensor x, int64_t axis) {
  HONE_ASSIGN(best, arg_extreme(b, x, {axis, true, false, false}));
  const std::vector<Axis> all = b.axes(map_axis_names(b, x->shape, {}), x->shape);
  const std::vector<Sym> index = b.syms(all);
  const Sym at = b.at(best, broadcast_index(b, index, best->shape));
  const Sym here = cast(DType::kI64, index[static_cast<size_t>(axis)]);
  return b.map("Y", all, select(at == here, b.constant(x->dtype, 1), b.constant(x->dtype, 0)));
}

// log Σ e^x = m + log Σ e^(x − m), where m, the largest, keeps e^x from overflowing; an infinite one is no offset.
Result<Tensor> log_sum_exp(Builder& b, Tensor x, const ReductionParams& params) {
  if (!ir::is_float(x->dtype)) return Error{ErrorCode::kBadModel, "expected elements of a float type"};
  HONE_ASSIGN(largest, reduce_over(b, "max", x, {params.axes, true}, {Fold::kMaxOrdered}));
  const Domain d = domain_of(b, x, params.axes, params.keep_dims);
  std::vector<Sym> row = d.index;
  for (int64_t axis : params.axes) row[static_cast<size_t>(axis)] = b.index(0);
  const Sym most = b.at(largest, row), offset = select(is_infinite(most, true, true), most.number(0), most);
  return b.reduce("Y", d.axes, d.reduce_axes, Fold::kSum, exponential(b.at(x, d.index) - offset), [&](Sym sum) { return logarithm(sum) + offset; });
}

Result<Tensor> softmax(Builder& b, Tensor x, const std::vector<int64_t>& axes, bool logarithm) {
  if (!ir::is_float(x->dtype)) return Error{ErrorCode::kBadModel, "expected elements of a float type"};
  HONE_ASSIGN(largest, reduce_over(b, "max", x, {axes, true}, {Fold::kMaxOrdered}));
  HONE_TRY(check_axes(x, axes));
  const auto over_all = [&](const std::string& name, const auto& element) {
    const std::vector<Axis> all = b.axes(map_axis_names(b, x->shape, {}), x->shape);
    return b.map(name, all, element(b.syms(all)));
  };
  const auto offset = [&](const std::vector<Sym>& index) {
    return b.at(x, index) - b.at(largest, broadcast_index(b, index, largest->shape));
  };
  // A tensor of its own, so that a schedule may keep a row of it.
  const Tensor power = over_all("exp", [&](const auto& index) { return exponential(offset(index)); });
  const Domain d = domain_of(b, x, axes, true);
  const Tensor sum = b.reduce("sum", d.axes, d.reduce_axes, Fold::kSum, b.at(power, d.index));
  return over_all("Y", [&](const auto& index) {
    const Sym total = b.at(sum, broadcast_index(b, index, sum->shape));
    // The quotient is the row's, the product the element's.
    return logarithm ? offset(index) - te::logarithm(total) : b.at(power, index) * (b.constant(x->dtype, 1) / total);
  });
}

}  // namespace hone::te
