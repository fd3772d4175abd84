#include "codegen/te/ops/normalization.h"

#include "base/cat.h"
#include "codegen/te/ops/broadcast.h"
#include "codegen/te/ops/elementwise.h"
#include "codegen/te/ops/scalar_functions.h"

namespace hone::te {

Result<Tensor> batch_normalization(Builder& b, Tensor x, const BatchStatistics& s) {
  const int64_t channels = x->shape.size() < 2 ? 1 : x->shape[1];
  for (Tensor t : {s.scale, s.bias, s.mean, s.variance})
    if (t->shape != Shape{channels} || t->dtype != x->dtype)
      return Error{ErrorCode::kBadModel, cat("statistics of shape ", shape_text(t->shape), " do not fit an input of shape ",
                                             shape_text(x->shape), "; expected one value per channel")};
  const std::vector<Axis> axes = b.axes(map_axis_names(b, x->shape, {x}), x->shape);
  const std::vector<Sym> index = b.syms(axes);
  const Sym c = x->shape.size() < 2 ? b.index(0) : index[1];
  const Sym value = b.at(x, index), scale = b.at(s.scale, {c}), bias = b.at(s.bias, {c}), mean = b.at(s.mean, {c});
  const Sym deviation = square_root(b.at(s.variance, {c}) + s.epsilon);
  return b.map("norm", axes, (value - mean) * (scale / deviation) + bias);
}

}  // namespace hone::te
