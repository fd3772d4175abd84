#include "codegen/te/ops/normalization.h"

#include "base/cat.h"
#include "codegen/te/bad_model.h"
#include "codegen/te/ops/broadcast.h"
#include "codegen/te/ops/elementwise.h"
#include "codegen/te/ops/reductions.h"
#include "codegen/te/ops/reshape.h"
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

struct Moments {
  Tensor mean = nullptr;    // null: nothing is subtracted
  Tensor spread = nullptr;  // the mean of the squares of what is left
};

Result<Moments> moments_of(Builder& b, Tensor x, const Standardization& s) {
  const auto average = [](Sym acc, double count) { return acc / count; };
  if (!s.centered) {
    HONE_ASSIGN(squares, reduce_over(b, "mean_square", x, {s.axes, true}, {Fold::kSum, [](Sym v) { return v * v; }, average}));
    return Moments{nullptr, squares};
  }
  HONE_ASSIGN(mean, reduce_over(b, "mean", x, {s.axes, true}, {Fold::kSum, nullptr, average}));
  HONE_ASSIGN(variance, reduce_differences(b, "variance", x, mean, s.axes));
  return Moments{mean, variance};
}

}  // namespace

Result<Standardized> standardize(Builder& b, Tensor x, const Standardization& s, bool want_inverse_deviation) {
  if (!ir::is_float(x->dtype)) return bad_model("expected elements of a float type");
  HONE_TRY(check_parameter(x, s, s.scale));
  HONE_TRY(check_parameter(x, s, s.bias));
  HONE_ASSIGN(moments, moments_of(b, x, s));
  Standardized out{.mean = moments.mean};
  const std::vector<Axis> axes = b.axes(map_axis_names(b, x->shape, {x}), x->shape);
  const std::vector<Sym> index = b.syms(axes);
  Sym value = b.at(x, index);
  if (s.centered) value = value - b.at(moments.mean, broadcast_index(b, index, moments.mean->shape));
  const Sym spread = b.at(moments.spread, broadcast_index(b, index, moments.spread->shape));
  Sym y = value / square_root(spread + s.epsilon);
  if (s.scale) y = y * b.at(s.scale, parameter_index(b, s, s.scale, index));
  if (s.bias) y = y + b.at(s.bias, parameter_index(b, s, s.bias, index));
  out.y = b.map("norm", axes, y);
  if (want_inverse_deviation)
    out.inverse_deviation =
        unary(b, "inverse_deviation", moments.spread, [&](Sym v) { return 1.0 / square_root(v + s.epsilon); });
  return out;
}

namespace {

Status check_groups(Tensor x, const GroupStatistics& groups) {
  if (x->shape.size() < 2 || groups.count < 1 || groups.count > x->shape[1] || x->shape[1] % groups.count != 0)
    return bad_model(cat("an input of shape ", shape_text(x->shape), " does not fall into ", groups.count, " groups of channels"));
  const int64_t parameters = groups.per_group ? groups.count : x->shape[1];
  for (Tensor t : {groups.scale, groups.bias})
    if (t->shape != Shape{parameters} || t->dtype != x->dtype)
      return bad_model(cat("scale or bias of shape ", shape_text(t->shape), " does not fit; expected ", parameters, " values of the input's type"));
  return ok_status();
}

}  // namespace

Result<Tensor> group_normalization(Builder& b, Tensor x, const GroupStatistics& groups) {
  HONE_TRY(check_groups(x, groups));
  Shape grouped{x->shape[0], groups.count, x->shape[1] / groups.count};
  grouped.insert(grouped.end(), x->shape.begin() + 2, x->shape.end());
  Standardization s{.epsilon = groups.epsilon};
  for (size_t d = 2; d < grouped.size(); d++) s.axes.push_back(static_cast<int64_t>(d));
  HONE_ASSIGN(parts, reshape(b, x, grouped));
  HONE_ASSIGN(standard, standardize(b, parts, s));
  HONE_ASSIGN(whole, reshape(b, standard.y, x->shape));
  const std::vector<Axis> axes = b.axes(map_axis_names(b, x->shape, {x}), x->shape);
  const std::vector<Sym> index = b.syms(axes);
  const Sym own = groups.per_group ? index[1] / double(grouped[2]) : index[1];
  const Sym value = b.at(whole, index), scale = b.at(groups.scale, {own}), bias = b.at(groups.bias, {own});
  return b.map("Y", axes, value * scale + bias);
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
