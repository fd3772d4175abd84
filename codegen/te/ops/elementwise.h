// Operators that compute each element from the elements at the same place, with NumPy's broadcasting.
#pragma once
#include <functional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "codegen/te/builder.h"

namespace hone::te {

// A tensor, or a number known when the program is built (it still takes part in broadcasting with its shape).
struct Operand {
  Tensor tensor = nullptr;
  double number = 0;       // where tensor is null
  DType dtype = DType::kF32;
  Shape shape;

  static Operand of(Tensor t) { return {t, 0, t->dtype, t->shape}; }
  static Operand of(DType dtype, double number, Shape shape = {}) { return {nullptr, number, dtype, std::move(shape)}; }
};

// The Map `name`: f of the operands' elements at each place of their broadcast shape. Fails: bad_model when they do not broadcast.
Result<Tensor> elementwise(Builder& b, std::string_view name, const std::vector<Operand>& operands,
                           const std::function<Sym(const std::vector<Sym>&)>& f);
Tensor unary(Builder& b, std::string_view name, Tensor x, const std::function<Sym(Sym)>& f);

// x + bias[channel], where dimension 1 is the channel: the Map "bias".
Result<Tensor> add_channel_bias(Builder& b, Tensor x, Tensor bias);

// Names for the axes of a Map of this shape: those of the compute that writes an operand of the same shape, else by rank
// (i; m n; b m n; n c h w; n c d h w).
std::vector<std::string> map_axis_names(const Builder& b, const Shape& shape, const std::vector<Tensor>& operands);

}  // namespace hone::te
