// Quantized numbers, and products of them.
#include "base/cat.h"
#include "codegen/graph/op_arguments.h"
#include "codegen/te/ops/broadcast.h"
#include "codegen/te/ops/conv.h"
#include "codegen/te/ops/matrix.h"
#include "codegen/te/ops/quantize.h"
#include "codegen/te/ops/reshape.h"
#include "codegen/te/ops/scalar_functions.h"

namespace hone::graph {
namespace {

using te::Operand;
using te::Tensor;

// Input 2, else nought of `otherwise`.
Operand zero_point(const OpCall& call, ir::DType otherwise) {
  return call.has_input(2) ? call.operand(2, "zero") : Operand::of(otherwise, 0);
}

// The element type that an attribute names; 0 and no attribute mean `otherwise`. Fails: unsupported.
Result<ir::DType> type_of(const OpCall& call, std::string_view attribute, ir::DType otherwise) {
  const int64_t type = call.integer(attribute, 0);
  if (type == 0 || dtype_of_onnx(type, &otherwise)) return otherwise;
  return Error{ErrorCode::kUnsupported, cat("the element type ", onnx_type_name(type), " (", attribute, ") is not supported")};
}

Result<te::Scaling> scaling_of(const OpCall& call, ir::DType otherwise) {
  te::Scaling scaling{call.operand(1, "scale"), zero_point(call, otherwise)};
  scaling.block = call.integer("block_size", 0);
  scaling.saturates = call.integer("saturate", 1) != 0;
  HONE_TRY(check_range("block_size", scaling.block, 0, te::kExtentMax));
  if (scaling.block == 0 && ir::element_count(scaling.scale.shape) == 1) return scaling;
  HONE_ASSIGN(axis, axis_in(call.integer("axis", 1), call.value(0).shape.size()));
  scaling.axis = axis;
  return scaling;
}

// The zero point of an operand; of rank 1 it is that of each position along `dimension` of `rank`. Absent: 0.
Result<Operand> zero_along(const OpCall& call, size_t input, size_t rank, size_t dimension) {
  if (!call.has_input(input)) return Operand::of(ir::DType::kI32, 0);
  const Operand zero = call.operand(input, "zero");
  const bool each = zero.tensor && zero.shape.size() == 1 && zero.shape[0] != 1 && dimension < rank;
  if (!each) return zero;
  Shape shape(rank - dimension, 1);
  shape[0] = zero.shape[0];
  HONE_ASSIGN(aligned, te::reshape(call.b, zero.tensor, shape));
  return Operand::of(aligned);
}

Result<Tensor> shifted(const OpCall& call, Tensor t, size_t zero_input, size_t dimension) {
  HONE_ASSIGN(zero, zero_along(call, zero_input, t->shape.size(), dimension));
  HONE_ASSIGN(out, te::without_zero(call.b, cat(t->name, ".shift"), t, zero));
  if (out->shape == t->shape) return out;
  return bad_node(cat("a zero point of shape ", te::shape_text(zero.shape), " does not fit an operand of shape ",
                      te::shape_text(t->shape)));
}

}  // namespace

Emitted emit_quantize(const OpCall& call) {
  HONE_ASSIGN(dtype, type_of(call, "output_dtype", ir::DType::kU8));
  HONE_TRY(type_of(call, "precision", ir::DType::kF32));  // at least that of f32, whatever is asked for
  const Tensor x = call.tensor(0, "X");
  HONE_ASSIGN(scaling, scaling_of(call, dtype));
  return one_output(te::quantize(call.b, x, scaling));
}

Emitted emit_dequantize(const OpCall& call) {
  const Tensor x = call.tensor(0, "X");
  HONE_ASSIGN(scaling, scaling_of(call, x->dtype));
  HONE_ASSIGN(dtype, type_of(call, "output_dtype", scaling.scale.dtype));
  if (ir::is_model_only(dtype))
    return bad_node(cat("its result (output_dtype, else the scale's type) is of type ", ir::dtype_name(dtype), "; expected a float of 16 bits or more"));
  HONE_ASSIGN(y, te::dequantize(call.b, x, scaling));
  if (dtype == y->dtype) return std::vector<Tensor>{y};
  return std::vector<Tensor>{te::unary(call.b, "cast", y, [&](te::Sym v) { return te::converted(dtype, v); })};
}

Emitted emit_dynamic_quantize(const OpCall& call) {
  HONE_ASSIGN(q, te::quantize_by_range(call.b, call.tensor(0, "X")));
  return std::vector<Tensor>{q.y, q.scale, q.zero};
}

Emitted emit_matmul_integer(const OpCall& call) {
  const Tensor a = call.tensor(0, "A"), b = call.tensor(1, "B");
  const size_t rank = a->shape.size();
  HONE_ASSIGN(left, shifted(call, a, 2, rank < 2 ? rank : rank - 2));
  HONE_ASSIGN(right, shifted(call, b, 3, b->shape.size() - 1));
  return one_output(te::matmul(call.b, left, right));
}

Emitted emit_conv_integer(const OpCall& call) {
  HONE_ASSIGN(params, conv_params(call));
  const Tensor x = call.tensor(0, "X"), w = call.tensor(1, "W");
  HONE_ASSIGN(input, shifted(call, x, 2, x->shape.size()));
  HONE_ASSIGN(weights, shifted(call, w, 3, 0));
  return one_output(te::conv(call.b, input, weights, params));
}

}  // namespace hone::graph
