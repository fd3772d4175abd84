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

// A scale or a zero point; of rank 1 it is that of each position along `dimension` of `rank`.
Result<Operand> along(const OpCall& call, size_t input, size_t rank, size_t dimension) {
  const Operand each = call.operand(input, "scaling");
  if (!each.tensor || each.shape.size() != 1 || each.shape[0] == 1 || dimension >= rank) return each;
  Shape shape(rank - dimension, 1);
  shape[0] = each.shape[0];
  HONE_ASSIGN(aligned, te::reshape(call.b, each.tensor, shape));
  return Operand::of(aligned);
}

// An operand without its zero point, of which there is none where the input is absent.
Result<Tensor> shifted(const OpCall& call, Tensor t, size_t zero_input, size_t dimension) {
  Operand zero = Operand::of(ir::DType::kI32, 0);
  if (call.has_input(zero_input)) {
    HONE_ASSIGN(given, along(call, zero_input, t->shape.size(), dimension));
    zero = given;
  }
  HONE_ASSIGN(out, te::without_zero(call.b, cat(t->name, ".shift"), t, zero));
  if (out->shape == t->shape) return out;
  return bad_node(cat("a zero point of shape ", te::shape_text(zero.shape), " does not fit an operand of shape ",
                      te::shape_text(t->shape)));
}

size_t row_dimension(size_t rank) { return rank < 2 ? rank : rank - 2; }

// Sums of products as numbers of the scaling in inputs 6 and 7; the first factor's scale (input 1) is along `first`, the other's (4) along `second`.
Emitted requantized(const OpCall& call, Tensor sums, size_t first, size_t second) {
  const size_t rank = sums->shape.size();
  HONE_ASSIGN(scale, along(call, 1, rank, first));
  HONE_ASSIGN(other, along(call, 4, rank, second));
  HONE_ASSIGN(y, te::requantize(call.b, sums, {scale, other}, {call.operand(6, "y_scale"), call.operand(7, "y_zero")}));
  if (y->shape == sums->shape) return std::vector<Tensor>{y};
  return bad_node(cat("its scales make a result of shape ", te::shape_text(y->shape), " of one of ", te::shape_text(sums->shape)));
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
  HONE_ASSIGN(left, shifted(call, a, 2, row_dimension(a->shape.size())));
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

Emitted emit_quantized_matmul(const OpCall& call) {
  const Tensor a = call.tensor(0, "A"), b = call.tensor(3, "B");
  HONE_ASSIGN(left, shifted(call, a, 2, row_dimension(a->shape.size())));
  HONE_ASSIGN(right, shifted(call, b, 5, b->shape.size() - 1));
  HONE_ASSIGN(sums, te::matmul(call.b, left, right));
  const size_t rank = sums->shape.size();
  return requantized(call, sums, row_dimension(rank), rank - 1);
}

Emitted emit_quantized_conv(const OpCall& call) {
  HONE_ASSIGN(params, conv_params(call));
  const Tensor x = call.tensor(0, "X"), w = call.tensor(3, "W");
  HONE_ASSIGN(input, shifted(call, x, 2, x->shape.size()));
  HONE_ASSIGN(weights, shifted(call, w, 5, 0));
  HONE_ASSIGN(sums, te::conv(call.b, input, weights, params));
  if (call.has_input(8)) {
    HONE_ASSIGN(with_bias, te::add_channel_bias(call.b, sums, call.tensor(8, "bias")));
    sums = with_bias;
  }
  return requantized(call, sums, sums->shape.size(), 1);
}

Emitted emit_unpacked_blocks(const OpCall& call) {
  te::PackedBlocks p{.rows = call.integer("N", 0), .columns = call.integer("K", 0), .bits = call.integer("bits", 4), .block = call.integer("block_size", 0)};
  p.numbers = call.tensor(0, "B");
  p.scale = call.tensor(1, "scale");
  if (call.has_input(2)) p.zero = call.tensor(2, "zero");
  return one_output(te::unpacked_blocks(call.b, p));
}

}  // namespace hone::graph
