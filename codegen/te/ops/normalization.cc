#include "codegen/te/ops/normalization.h"

#include "base/cat.h"
#include "codegen/te/bad_model.h"
#include "codegen/te/ops/broadcast.h"
#include "codegen/te/ops/elementwise.h"
#include "codegen/te/ops/reductions.h"
#include "codegen/te/ops/scalar_functions.h"
#include "codegen/te/ops/window.h"

namespace hone::te {

Result<Tensor> batch_normalization(Builder& b, Tensor x, const BatchStatistics& s) {
  const int64_t channels = x->shape.size() < 2 ? 1 : x->shape[1];
  for (Tensor t : {s.scale, s.bias, s.mean, s.variance})
    if (t->shape != Shape{channels} || t->dtype != x->dtype)
      return Error{ErrorCode::kBadModel,
                   cat("statistics of shape ", shape_text(t->shape), " do not fit an input of shape ",
                       shape_text(x->shape), "; expected one value per channel")};
  const std::vector<Axis> axes = b.axes(map_axis_names(b, x->shape, {x}), x->shape);
  const std::vector<Sym> index = b.syms(axes);
  const Sym c = x->shape.size() < 2 ? b.index(0) : index[1];
  const Sym value = b.at(x, index), scale = b.at(s.scale, {c}), bias = b.at(s.bias, {c}), mean = b.at(s.mean, {c});
  const Sym deviation = square_root(b.at(s.variance, {c}) + s.epsilon);
  return b.map("norm", axes, (value - mean) * (scale / deviation) + bias);
}

namespace {

// The index into scale or bias for element `index` of x.
std::vector<Sym> parameter_index(Builder& b, const Standardization& s, Tensor parameter,
                                 const std::vector<Sym>& index) {
  return s.per_channel ? std::vector<Sym>{index[1]} : broadcast_index(b, index, parameter->shape);
}

Status check_parameter(Tensor x, const Standardization& s, Tensor parameter) {
  if (!parameter) return ok_status();
  if (parameter->dtype != x->dtype) return bad_model("scale or bias has another type than the input");
  if (s.per_channel) {
    if (x->shape.size() < 2 || parameter->shape != Shape{x->shape[1]})
      return bad_model("scale and bias need one value per channel");
    return ok_status();
  }
  const auto wide = broadcast_shapes(x->shape, parameter->shape);
  if (!wide.ok() || *wide != x->shape)
    return bad_model(
        cat("scale or bias of shape ", shape_text(parameter->shape), " does not fit ", shape_text(x->shape)));
  return ok_status();
}

}  // namespace

Result<Standardized> standardize(Builder& b, Tensor x, const Standardization& s, bool want_inverse_deviation) {
  if (!ir::is_float(x->dtype)) return bad_model("expected elements of a float type");
  HONE_TRY(check_parameter(x, s, s.scale));
  HONE_TRY(check_parameter(x, s, s.bias));
  const auto average = [](Sym acc, double count) { return acc / count; };
  Standardized out;
  HONE_ASSIGN(mean, reduce_over(b, "mean", x, {s.axes, true}, {Fold::kSum, nullptr, average}));
  out.mean = mean;
  HONE_ASSIGN(variance, reduce_differences(b, "variance", x, mean, s.axes));
  const std::vector<Axis> axes = b.axes(map_axis_names(b, x->shape, {x}), x->shape);
  const std::vector<Sym> index = b.syms(axes);
  const Sym value = b.at(x, index), center = b.at(mean, broadcast_index(b, index, mean->shape));
  const Sym spread = b.at(variance, broadcast_index(b, index, variance->shape));
  Sym y = (value - center) / square_root(spread + s.epsilon);
  if (s.scale) y = y * b.at(s.scale, parameter_index(b, s, s.scale, index));
  if (s.bias) y = y + b.at(s.bias, parameter_index(b, s, s.bias, index));
  out.y = b.map("norm", axes, y);
  if (want_inverse_deviation)
    out.inverse_deviation =
        unary(b, "inverse_deviation", variance, [&](Sym v) { return 1.0 / square_root(v + s.epsilon); });
  return out;
}

Result<Tensor> local_response(Builder& b, Tensor x, const LocalResponse& params) {
  if (x->shape.size() < 2 || params.size < 1 || params.size > kWindowMax)
    return bad_model(cat("a window of ", params.size, " channels over a tensor of shape ", shape_text(x->shape),
                         " is not defined; expected 1 to ", kWindowMax, " and a dimension of channels"));
  const std::vector<std::string> names = map_axis_names(b, x->shape, {});
  const std::vector<Axis> axes = b.axes(names, x->shape), near = b.axes({"r"}, {params.size});
  std::vector<Sym> index = b.syms(axes);
  const int64_t before = (params.size - 1) / 2;
  const Sym c = index[1] + b.sym(near[0]) - double(before);
  index[1] = c;
  const Sym inside = both(0.0 <= c, c < double(x->shape[1]));
  const Sym value = b.at(x, index);
  const Sym square = select(inside, value * value, value.number(0));
  const Tensor sum = b.reduce("squares", axes, near, Fold::kSum, square);
  const std::vector<Axis> all = b.axes(names, x->shape);
  const std::vector<Sym> at = b.syms(all);
  const Sym own = b.at(x, at), total = b.at(sum, at);
  const Sym base = total * (params.alpha / double(params.size)) + params.k;
  return b.map("Y", all, own / power(base, base.number(params.beta)));
}

Result<Tensor> unit_length(Builder& b, Tensor x, int64_t axis, int64_t order) {
  if (order != 1 && order != 2) return bad_model(cat("a length of order ", order, " is not defined; expected 1 or 2"));
  ReductionRule rule;
  if (order == 1) rule.value = absolute;
  if (order == 2) {
    rule.value = [](Sym v) { return v * v; };
    rule.finish = [](Sym acc, double) { return square_root(acc); };
  }
  HONE_ASSIGN(length, reduce_over(b, "length", x, {{axis}, true}, rule));
  const std::vector<Axis> axes = b.axes(map_axis_names(b, x->shape, {x}), x->shape);
  const std::vector<Sym> index = b.syms(axes);
  const Sym value = b.at(x, index), divisor = b.at(length, broadcast_index(b, index, length->shape));
  // Where all elements are 0, so are the results.
  return b.map("Y", axes, select(divisor == 0.0, b.constant(x->dtype, 0), value / divisor));
}

}  // namespace hone::te
