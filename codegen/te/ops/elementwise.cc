#include "codegen/te/ops/elementwise.h"

#include "base/cat.h"
#include "codegen/te/ops/broadcast.h"

namespace hone::te {

std::vector<std::string> map_axis_names(const Builder& b, const Shape& shape, const std::vector<Tensor>& operands) {
  for (Tensor t : operands) {
    if (!t || t->shape != shape) continue;
    for (const Compute& c : b.program().computes)
      if (c.outputs[0] == t) {
        std::vector<std::string> names;
        for (const Axis& a : c.axes) names.push_back(a.name);
        return names;
      }
  }
  switch (shape.size()) {
    case 1: return {"i"};
    case 2: return {"m", "n"};
    case 3: return {"b", "m", "n"};
    case 4: return {"n", "c", "h", "w"};
    case 5: return {"n", "c", "d", "h", "w"};
    default: return {};
  }
}

Result<Tensor> elementwise(Builder& b, std::string_view name, const std::vector<Operand>& operands,
                           const std::function<Sym(const std::vector<Sym>&)>& f) {
  Shape shape;
  std::vector<Tensor> tensors;
  for (const Operand& o : operands) {
    HONE_ASSIGN(wider, broadcast_shapes(shape, o.shape));
    shape = std::move(wider);
    tensors.push_back(o.tensor);
  }
  const std::vector<Axis> axes = b.axes(map_axis_names(b, shape, tensors), shape);
  const std::vector<Sym> index = b.syms(axes);
  std::vector<Sym> values;
  for (const Operand& o : operands)
    values.push_back(o.tensor ? b.at(o.tensor, broadcast_index(b, index, o.shape)) : b.constant(o.dtype, o.number));
  return b.map(name, axes, f(values));
}

Tensor unary(Builder& b, std::string_view name, Tensor x, const std::function<Sym(Sym)>& f) {
  const std::vector<Axis> axes = b.axes(map_axis_names(b, x->shape, {x}), x->shape);
  return b.map(name, axes, f(b.at(x, b.syms(axes))));
}

Result<Tensor> add_channel_bias(Builder& b, Tensor x, Tensor bias) {
  if (bias->shape.size() != 1 || x->shape.size() < 2 || bias->shape[0] != x->shape[1] || bias->dtype != x->dtype)
    return Error{ErrorCode::kBadModel, cat("a bias of shape ", shape_text(bias->shape), " does not fit a result of shape ", shape_text(x->shape))};
  const std::vector<Axis> axes = b.axes(map_axis_names(b, x->shape, {x}), x->shape);
  const std::vector<Sym> index = b.syms(axes);
  const Sym value = b.at(x, index), offset = b.at(bias, {index[1]});
  return b.map("bias", axes, value + offset);
}

}  // namespace hone::te
