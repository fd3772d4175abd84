// From an ONNX node's inputs and attributes to a call of its definition in te/ops, for operators that need more than a row of op_table.cc.
// All fail with bad_model (shapes, attributes) or unsupported (what ONNX allows and hone does not yet).
#pragma once
#include "codegen/graph/op_table.h"

namespace hone::graph {

using Emitted = Result<std::vector<te::Tensor>>;

Emitted emit_conv(const OpCall& call);
Emitted emit_conv_transposed(const OpCall& call);
Emitted emit_conv_integer(const OpCall& call);
Emitted emit_einsum(const OpCall& call);
Emitted emit_gemm(const OpCall& call);
Emitted emit_matmul(const OpCall& call);
Emitted emit_matmul_integer(const OpCall& call);
Emitted emit_quantize(const OpCall& call);
Emitted emit_dequantize(const OpCall& call);
Emitted emit_dynamic_quantize(const OpCall& call);
Emitted emit_unpacked_blocks(const OpCall& call);
Emitted emit_quantized_conv(const OpCall& call);
Emitted emit_quantized_matmul(const OpCall& call);
Emitted emit_average_pool(const OpCall& call);
Emitted emit_max_pool(const OpCall& call);
Emitted emit_global_average_pool(const OpCall& call);
Emitted emit_global_max_pool(const OpCall& call);
Emitted emit_global_length_pool(const OpCall& call);
Emitted emit_length_pool(const OpCall& call);

Emitted emit_attention(const OpCall& call);
Emitted emit_class_loss(const OpCall& call);
Emitted emit_softmax_loss(const OpCall& call);

Emitted emit_associative_step(const OpCall& call);
Emitted emit_eliminate_step(const OpCall& call);
Emitted emit_elman_step(const OpCall& call);
Emitted emit_gated_step(const OpCall& call);
Emitted emit_long_short_step(const OpCall& call);

Emitted emit_causal_conv(const OpCall& call);
Emitted emit_cosine_window(const OpCall& call);
Emitted emit_fourier(const OpCall& call);
Emitted emit_framed_fourier(const OpCall& call);
Emitted emit_overlap_add(const OpCall& call);

Emitted emit_affine_grid(const OpCall& call);
Emitted emit_deformed_conv(const OpCall& call);
Emitted emit_grid_sample(const OpCall& call);
Emitted emit_pooled_regions(const OpCall& call);

Emitted emit_best(const OpCall& call);
Emitted emit_gate(const OpCall& call);
Emitted emit_bounded(const OpCall& call);
Emitted emit_copy(const OpCall& call);
Emitted emit_loop_end(const OpCall& call);
Emitted emit_counted_grams(const OpCall& call);
Emitted emit_cumulative(const OpCall& call);
Emitted emit_distinct_rows(const OpCall& call);
Emitted emit_find_last(const OpCall& call);
Emitted emit_fold_equals(const OpCall& call);
Emitted emit_merge_runs(const OpCall& call);
Emitted emit_overflow(const OpCall& call);
Emitted emit_places(const OpCall& call);
Emitted emit_row_numbers(const OpCall& call);
Emitted emit_scatter_elements(const OpCall& call);
Emitted emit_scatter_tuples(const OpCall& call);
Emitted emit_suppress_step(const OpCall& call);
Emitted emit_unpool(const OpCall& call);
Emitted emit_write_from(const OpCall& call);

Emitted emit_batch_normalization(const OpCall& call);
Emitted emit_group_normalization(const OpCall& call);
Emitted emit_instance_normalization(const OpCall& call);
Emitted emit_layer_normalization(const OpCall& call);
Emitted emit_local_response(const OpCall& call);
Emitted emit_mean_variance_normalization(const OpCall& call);
Emitted emit_root_mean_square_normalization(const OpCall& call);
Emitted emit_unit_length(const OpCall& call);

Emitted emit_bit_cast(const OpCall& call);
Emitted emit_bit_shift(const OpCall& call);
Emitted emit_bitwise_complement(const OpCall& call);
Emitted emit_cast(const OpCall& call);
Emitted emit_cast_like(const OpCall& call);
Emitted emit_clip(const OpCall& call);
Emitted emit_dropout(const OpCall& call);
Emitted emit_gated_swish(const OpCall& call);
Emitted emit_gelu(const OpCall& call);
Emitted emit_is_infinite(const OpCall& call);
Emitted emit_mod(const OpCall& call);
Emitted emit_shrink(const OpCall& call);
Emitted emit_where(const OpCall& call);

Emitted emit_flatten(const OpCall& call);
Emitted emit_reshape(const OpCall& call);
Emitted emit_squeeze(const OpCall& call);
Emitted emit_unsqueeze(const OpCall& call);

Emitted emit_arg_extreme(const OpCall& call);
Emitted emit_center_crop_pad(const OpCall& call);
Emitted emit_concat(const OpCall& call);
Emitted emit_constant_of_shape(const OpCall& call);
Emitted emit_depth_to_space(const OpCall& call);
Emitted emit_diagonal(const OpCall& call);
Emitted emit_expand(const OpCall& call);
Emitted emit_gather(const OpCall& call);
Emitted emit_gather_elements(const OpCall& call);
Emitted emit_gather_tuples(const OpCall& call);
Emitted emit_hardmax(const OpCall& call);
Emitted emit_one_hot(const OpCall& call);
Emitted emit_pad(const OpCall& call);
Emitted emit_range(const OpCall& call);
Emitted emit_reduction(const OpCall& call);
Emitted emit_resize(const OpCall& call);
Emitted emit_reverse_sequence(const OpCall& call);
Emitted emit_rotary_embedding(const OpCall& call);
Emitted emit_shape(const OpCall& call);
Emitted emit_size(const OpCall& call);
Emitted emit_slice(const OpCall& call);
Emitted emit_softmax(const OpCall& call);
Emitted emit_space_to_depth(const OpCall& call);
Emitted emit_split(const OpCall& call);
Emitted emit_tile(const OpCall& call);
Emitted emit_transpose(const OpCall& call);
Emitted emit_triangle(const OpCall& call);
Emitted emit_upsample(const OpCall& call);

// Fails: bad_model when the two have different element types.
Status same_types(const te::Operand& a, const te::Operand& b);
// The two operands of a broadcasting operator; up to opset 6 the second is aligned by the attribute `axis`.
Result<std::vector<te::Operand>> binary_operands(const OpCall& call);

std::string describe_attention(const OpCall& call);  // the shapes of queries, keys and values
std::string describe_conv(const OpCall& call);
std::string describe_einsum(const OpCall& call);
std::string describe_gemm(const OpCall& call);
std::string describe_matmul(const OpCall& call);
std::string describe_input(const OpCall& call);  // the first input's shape
std::string describe_pool(const OpCall& call);

// ONNX's number of an element type as a DType; false for types hone does not know (strings, complex numbers).
bool dtype_of_onnx(int64_t type, ir::DType* out);
std::string onnx_type_name(
    int64_t type);  // as ONNX spells it: "string", "float8e4m3fn"; "number 99" for what ONNX does not have

}  // namespace hone::graph
