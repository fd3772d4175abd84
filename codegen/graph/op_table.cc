#include "codegen/graph/op_table.h"

#include <cstdlib>
#include <unordered_map>

#include "base/cat.h"
#include "codegen/graph/limits.h"
#include "codegen/graph/op_emitters.h"
#include "codegen/graph/remedies.h"
#include "codegen/te/ops/broadcast.h"
#include "codegen/te/ops/scalar_functions.h"

namespace hone::graph {
namespace {

using Tensors = std::vector<te::Tensor>;
using te::Sym;

Result<Tensors> one(Result<te::Tensor> tensor) {
  if (!tensor.ok()) return tensor.error();
  return Tensors{*tensor};
}

std::string_view stage_name(const OpCall& call) { return find_op(call.node.op)->text; }

template <Sym (*F)(Sym)>
Result<Tensors> unary(const OpCall& call) {
  return Tensors{te::unary(call.b, stage_name(call), call.tensor(0, "X"), F)};
}

template <Sym (*F)(Sym, Sym)>
Result<Tensors> binary(const OpCall& call) {
  HONE_ASSIGN(operands, binary_operands(call));
  return one(te::elementwise(call.b, stage_name(call), operands, [](const std::vector<Sym>& v) { return F(v[0], v[1]); }));
}

// Sum, Max, Min of any number of inputs.
template <Sym (*F)(Sym, Sym)>
Result<Tensors> variadic(const OpCall& call) {
  std::vector<te::Operand> operands;
  for (size_t i = 0; i < call.node.inputs.size(); i++) {
    operands.push_back(call.operand(i, i == 0 ? "A" : "R"));
    HONE_TRY(same_types(operands[0], operands[i]));
  }
  return one(te::elementwise(call.b, stage_name(call), operands, [](const std::vector<Sym>& v) {
    Sym out = v[0];
    for (size_t i = 1; i < v.size(); i++) out = F(out, v[i]);
    return out;
  }));
}

Result<Tensors> mean(const OpCall& call) {
  HONE_ASSIGN(total, variadic<te::sum>(call));
  const double count = static_cast<double>(call.node.inputs.size());
  return Tensors{te::unary(call.b, "mean", total[0], [&](Sym x) { return x / count; })};
}

// A function with parameters: F(call, x).
template <Sym (*F)(const OpCall&, Sym)>
Result<Tensors> parametric(const OpCall& call) {
  return Tensors{te::unary(call.b, stage_name(call), call.tensor(0, "X"), [&](Sym x) { return F(call, x); })};
}
Sym celu(const OpCall& c, Sym x) { return te::celu(x, c.number("alpha", 1)); }
Sym elu(const OpCall& c, Sym x) { return te::elu(x, c.number("alpha", 1)); }
Sym hard_sigmoid(const OpCall& c, Sym x) { return te::hard_sigmoid(x, c.number("alpha", 0.2), c.number("beta", 0.5)); }
Sym leaky_relu(const OpCall& c, Sym x) { return te::leaky_relu(x, c.number("alpha", 0.01)); }
Sym selu(const OpCall& c, Sym x) { return te::selu(x, c.number("alpha", 1.6732632423543772), c.number("gamma", 1.0507009873554805)); }
Sym swish(const OpCall& c, Sym x) { return te::swish(x, c.number("alpha", 1)); }
Sym thresholded_relu(const OpCall& c, Sym x) { return te::thresholded_relu(x, c.number("alpha", 1)); }
Sym same(Sym x) { return x; }

using enum OpKind;
using enum OpTypes;

constexpr OpEntry kOps[] = {
    // products and sliding windows
    {"Attention", "attention", kReduction, {3, 7, 4}, kFloat, {23, 24, 25}, emit_attention, describe_attention},
    {"CausalConvWithState", "causal_conv", kReduction, {2, 4, 2}, kFloat, {27}, emit_causal_conv, describe_conv},
    {"Conv", "conv", kReduction, {2, 3}, kNumber, {1, 11, 22}, emit_conv, describe_conv},
    {"ConvInteger", "conv_integer", kReduction, {2, 4}, kNumber, {10}, emit_conv_integer, describe_conv},
    {"ConvTranspose", "conv_transposed", kReduction, {2, 3}, kNumber, {1, 11, 22}, emit_conv_transposed, describe_conv},
    {"DFT", "fourier", kReduction, {1, 3}, kFloat, {17, 20}, emit_fourier, describe_input},
    {"DeformConv", "deformed_conv", kReduction, {3, 5}, kFloat, {19, 22}, emit_deformed_conv, describe_conv},
    {"Einsum", "einsum", kReduction, {1, kArityMax}, kFloat, {12, 28}, emit_einsum, describe_einsum},
    {"Gemm", "gemm", kReduction, {2, 3}, kNumber, {1, 6, 7, 9, 11, 13}, emit_gemm, describe_gemm},
    {"MatMul", "matmul", kReduction, {2, 2}, kNumber, {1, 9, 13}, emit_matmul, describe_matmul},
    {"MatMulInteger", "matmul_integer", kReduction, {2, 4}, kNumber, {10}, emit_matmul_integer, describe_matmul},
    {"QLinearConv", "quantized_conv", kReduction, {8, 9}, kNumber, {10}, emit_quantized_conv, describe_conv},
    {"QLinearMatMul", "quantized_matmul", kReduction, {8, 8}, kNumber, {10, 21}, emit_quantized_matmul, describe_matmul},
    {"STFT", "framed_fourier", kReduction, {2, 4}, kFloat, {17}, emit_framed_fourier, describe_input},
    {"AveragePool", "average_pool", kReduction, {1, 1}, kFloat, {1, 7, 10, 11, 19, 22}, emit_average_pool, describe_pool},
    {"GlobalAveragePool", "global_average_pool", kReduction, {1, 1}, kFloat, {1, 22}, emit_global_average_pool},
    {"GlobalLpPool", "global_length_pool", kReduction, {1, 1}, kFloat, {not_implemented(1), 2, 22}, emit_global_length_pool},
    {"GlobalMaxPool", "global_max_pool", kReduction, {1, 1}, kNumber, {1, 22}, emit_global_max_pool},
    {"LpPool", "length_pool", kReduction, {1, 1}, kFloat, {not_implemented(1), 2, 11, 18, 22}, emit_length_pool, describe_pool},
    {"MaxPool", "max_pool", kReduction, {1, 1, 2}, kNumber, {1, 8, 10, 11, 12, 22}, emit_max_pool, describe_pool},
    // element by element
    {"Abs", "abs", kElementwise, {1, 1}, kNumber, {1, 6, 13}, unary<te::absolute>},
    {"Acos", "acos", kElementwise, {1, 1}, kFloat, {7, 22}, unary<te::arc_cosine>},
    {"Acosh", "acosh", kElementwise, {1, 1}, kFloat, {9, 22}, unary<te::arc_hyperbolic_cosine>},
    {"Add", "add", kElementwise, {2, 2}, kNumber, {1, 6, 7, 13, 14}, binary<te::sum>},
    {"And", "and", kElementwise, {2, 2}, kLogic, {1, 7}, binary<te::logical_and>},
    {"Asin", "asin", kElementwise, {1, 1}, kFloat, {7, 22}, unary<te::arc_sine>},
    {"Asinh", "asinh", kElementwise, {1, 1}, kFloat, {9, 22}, unary<te::arc_hyperbolic_sine>},
    {"Atan", "atan", kElementwise, {1, 1}, kFloat, {7, 22}, unary<te::arc_tangent>},
    {"Atanh", "atanh", kElementwise, {1, 1}, kFloat, {9, 22}, unary<te::arc_hyperbolic_tangent>},
    {"BatchNormalization", "norm", kElementwise, {5, 5, 5}, kFloat, {1, 6, 7, 9, 14, 15}, emit_batch_normalization},
    {"BitCast", "bit_cast", kElementwise, {1, 1}, kAny, {26}, emit_bit_cast},
    {"BitShift", "bit_shift", kElementwise, {2, 2}, kWhole, {11, 28}, emit_bit_shift},
    {"BitwiseAnd", "bitwise_and", kElementwise, {2, 2}, kWhole, {18}, binary<te::bitwise_and>},
    {"BitwiseNot", "bitwise_complement", kElementwise, {1, 1}, kWhole, {18}, emit_bitwise_complement},
    {"BitwiseOr", "bitwise_or", kElementwise, {2, 2}, kWhole, {18}, binary<te::bitwise_or>},
    {"BitwiseXor", "bitwise_exclusive_or", kElementwise, {2, 2}, kWhole, {18}, binary<te::bitwise_exclusive_or>},
    {"Cast", "cast", kElementwise, {1, 1}, kAny, {1, 6, 9, 13, 19, 21, 23, 24, 25, 28}, emit_cast},
    {"CastLike", "cast", kElementwise, {2, 2}, kAny, {15, 19, 21, 23, 24, 25}, emit_cast_like},
    {"Ceil", "ceil", kElementwise, {1, 1}, kFloat, {1, 6, 13}, unary<te::ceiling>},
    {"Celu", "celu", kElementwise, {1, 1}, kFloat, {12, 28}, parametric<celu>},
    {"Clip", "clip", kElementwise, {1, 3}, kNumber, {1, 6, 11, 12, 13}, emit_clip},
    {"Cos", "cos", kElementwise, {1, 1}, kFloat, {7, 22}, unary<te::cosine>},
    {"Cosh", "cosh", kElementwise, {1, 1}, kFloat, {9, 22}, unary<te::hyperbolic_cosine>},
    {"DequantizeLinear", "dequantize", kElementwise, {2, 3}, kAny, {10, 13, 19, 21, 23, 24, 25, 28}, emit_dequantize},
    {"Div", "div", kElementwise, {2, 2}, kNumber, {1, 6, 7, 13, 14}, binary<te::quotient>},
    {"Dropout", "identity", kElementwise, {1, 3, 2}, kAny, {1, 6, 7, 10, 12, 13, 22}, emit_dropout},
    {"Elu", "elu", kElementwise, {1, 1}, kFloat, {1, 6, 22}, parametric<elu>},
    {"Equal", "equal", kElementwise, {2, 2}, kComputed, {1, 7, 11, 13, 19}, binary<te::equals>},
    {"Erf", "erf", kElementwise, {1, 1}, kFloat, {9, 13}, unary<te::error_function>},
    {"Exp", "exp", kElementwise, {1, 1}, kFloat, {1, 6, 13}, unary<te::exponential>},
    {"Floor", "floor", kElementwise, {1, 1}, kFloat, {1, 6, 13}, unary<te::floor_of>},
    {"Gelu", "gelu", kElementwise, {1, 1}, kFloat, {20}, emit_gelu},
    {"Greater", "greater", kElementwise, {2, 2}, kNumber, {1, 7, 9, 13}, binary<te::greater>},
    {"GreaterOrEqual", "greater_or_equal", kElementwise, {2, 2}, kNumber, {12, 16}, binary<te::greater_or_equal>},
    {"HardSigmoid", "hard_sigmoid", kElementwise, {1, 1}, kFloat, {1, 6, 22}, parametric<hard_sigmoid>},
    {"HardSwish", "hard_swish", kElementwise, {1, 1}, kFloat, {14, 22}, unary<te::hard_swish>},
    {"Identity", "identity", kElementwise, {1, 1}, kAny, {1, 13, 14, 16, 19, 21, 23, 24, 25}, unary<same>},
    {"IsInf", "is_infinite", kElementwise, {1, 1}, kFloat, {10, 20}, emit_is_infinite},
    {"IsNaN", "is_not_a_number", kElementwise, {1, 1}, kFloat, {9, 13, 20}, unary<te::is_not_a_number>},
    {"LeakyRelu", "leaky_relu", kElementwise, {1, 1}, kFloat, {1, 6, 16}, parametric<leaky_relu>},
    {"Less", "less", kElementwise, {2, 2}, kNumber, {1, 7, 9, 13}, binary<te::less>},
    {"LessOrEqual", "less_or_equal", kElementwise, {2, 2}, kNumber, {12, 16}, binary<te::less_or_equal>},
    {"Log", "log", kElementwise, {1, 1}, kFloat, {1, 6, 13}, unary<te::logarithm>},
    {"Max", "max", kElementwise, {1, kArityMax}, kNumber, {1, 6, 8, 12, 13}, variadic<te::larger>},
    {"Mean", "sum", kElementwise, {1, kArityMax}, kFloat, {1, 6, 8, 13}, mean},
    {"Min", "min", kElementwise, {1, kArityMax}, kNumber, {1, 6, 8, 12, 13}, variadic<te::smaller>},
    {"Mish", "mish", kElementwise, {1, 1}, kFloat, {18, 22}, unary<te::mish>},
    {"Mod", "mod", kElementwise, {2, 2}, kNumber, {10, 13, 28}, emit_mod},
    {"Mul", "mul", kElementwise, {2, 2}, kNumber, {1, 6, 7, 13, 14}, binary<te::product>},
    {"Neg", "neg", kElementwise, {1, 1}, kNumber, {1, 6, 13}, unary<te::negation>},
    {"Not", "not", kElementwise, {1, 1}, kLogic, {1}, unary<te::logical_negation>},
    {"Or", "or", kElementwise, {2, 2}, kLogic, {1, 7}, binary<te::logical_or>},
    {"PRelu", "prelu", kElementwise, {2, 2}, kNumber, {1, 6, 7, 9, 16}, binary<te::parametric_relu>},
    {"Pow", "pow", kElementwise, {2, 2}, kNumber, {1, 7, 12, 13, 15}, binary<te::power>},
    {"QuantizeLinear", "quantize", kElementwise, {2, 3}, kNumber, {10, 13, 19, 21, 23, 24, 25, 28}, emit_quantize},
    {"Reciprocal", "reciprocal", kElementwise, {1, 1}, kFloat, {1, 6, 13}, unary<te::reciprocal>},
    {"Relu", "relu", kElementwise, {1, 1}, kNumber, {1, 6, 13, 14}, unary<te::relu>},
    {"Round", "round", kElementwise, {1, 1}, kFloat, {11, 22}, unary<te::rounded>},
    {"Selu", "selu", kElementwise, {1, 1}, kFloat, {1, 6, 22}, parametric<selu>},
    {"Shrink", "shrink", kElementwise, {1, 1}, kNumber, {9}, emit_shrink},
    {"Sigmoid", "sigmoid", kElementwise, {1, 1}, kFloat, {1, 6, 13}, unary<te::sigmoid>},
    {"Sign", "sign", kElementwise, {1, 1}, kNumber, {9, 13}, unary<te::sign>},
    {"Sin", "sin", kElementwise, {1, 1}, kFloat, {7, 22}, unary<te::sine>},
    {"Sinh", "sinh", kElementwise, {1, 1}, kFloat, {9, 22}, unary<te::hyperbolic_sine>},
    {"Softplus", "softplus", kElementwise, {1, 1}, kFloat, {1, 22}, unary<te::softplus>},
    {"Softsign", "softsign", kElementwise, {1, 1}, kFloat, {1, 22}, unary<te::softsign>},
    {"Sqrt", "sqrt", kElementwise, {1, 1}, kFloat, {1, 6, 13}, unary<te::square_root>},
    {"Sub", "sub", kElementwise, {2, 2}, kNumber, {1, 6, 7, 13, 14}, binary<te::difference>},
    {"Sum", "sum", kElementwise, {1, kArityMax}, kNumber, {1, 6, 8, 13}, variadic<te::sum>},
    {"SwiGLU", "gated_swish", kElementwise, {2, 2}, kFloat, {28}, emit_gated_swish},
    {"Swish", "swish", kElementwise, {1, 1}, kFloat, {24}, parametric<swish>},
    {"Tan", "tan", kElementwise, {1, 1}, kFloat, {7, 22}, unary<te::tangent>},
    {"Tanh", "tanh", kElementwise, {1, 1}, kFloat, {1, 6, 13}, unary<te::tangent_hyperbolic>},
    {"ThresholdedRelu", "thresholded_relu", kElementwise, {1, 1}, kFloat, {10, 22}, parametric<thresholded_relu>},
    {"Where", "where", kElementwise, {3, 3}, kAny, {9, 16}, emit_where},
    {"Xor", "xor", kElementwise, {2, 2}, kLogic, {1, 7}, binary<te::exclusive_or>},
    // reductions over dimensions; all take their axes as an input, too, as ReduceSum does from opset 13
    {"ArgMax", "arg_max", kReduction, {1, 1}, kNumber, {1, 11, 12, 13}, emit_arg_extreme},
    {"ArgMin", "arg_min", kReduction, {1, 1}, kNumber, {1, 11, 12, 13}, emit_arg_extreme},
    {"CumProd", "cumulative_product", kReduction, {2, 2}, kNumber, {26}, emit_cumulative, describe_input},
    {"CumSum", "cumulative_sum", kReduction, {2, 2}, kNumber, {11, 14}, emit_cumulative, describe_input},
    {"DynamicQuantizeLinear", "dynamic_quantize", kReduction, {1, 1, 3}, kFloat, {11}, emit_dynamic_quantize},
    {"GroupNormalization", "group_norm", kReduction, {3, 3}, kFloat, {18, 21}, emit_group_normalization},
    {"Hardmax", "hard_max", kReduction, {1, 1}, kNumber, {1, 11, 13}, emit_hardmax},
    {"InstanceNormalization", "instance_norm", kReduction, {3, 3}, kFloat, {1, 6, 22}, emit_instance_normalization},
    {"LRN", "local_response", kReduction, {1, 1}, kFloat, {1, 13}, emit_local_response},
    {"LayerNormalization", "layer_norm", kReduction, {2, 3, 3}, kFloat, {17}, emit_layer_normalization},
    {"LogSoftmax", "log_softmax", kReduction, {1, 1}, kFloat, {1, 11, 13}, emit_softmax},
    {"LpNormalization", "unit_length", kReduction, {1, 1}, kFloat, {1, 22}, emit_unit_length},
    {"MeanVarianceNormalization", "standardize", kReduction, {1, 1}, kFloat, {9, 13}, emit_mean_variance_normalization},
    {"NegativeLogLikelihoodLoss", "class_loss", kReduction, {2, 3}, kFloat, {12, 13, 22}, emit_class_loss},
    {"RMSNormalization", "root_mean_square_norm", kReduction, {2, 2}, kFloat, {23}, emit_root_mean_square_normalization},
    {"ReduceL1", "reduce_l1", kReduction, {1, 2}, kNumber, {1, 11, 13, 18}, emit_reduction, describe_input},
    {"ReduceL2", "reduce_l2", kReduction, {1, 2}, kFloat, {1, 11, 13, 18}, emit_reduction, describe_input},
    {"ReduceLogSum", "reduce_log_sum", kReduction, {1, 2}, kFloat, {1, 11, 13, 18, 28}, emit_reduction, describe_input},
    {"ReduceLogSumExp", "reduce_log_sum_exp", kReduction, {1, 2}, kFloat, {1, 11, 13, 18, 28}, emit_reduction, describe_input},
    {"ReduceMax", "reduce_max", kReduction, {1, 2}, kComputed, {1, 11, 12, 13, 18, 20}, emit_reduction, describe_input},
    {"ReduceMean", "reduce_mean", kReduction, {1, 2}, kNumber, {1, 11, 13, 18}, emit_reduction, describe_input},
    {"ReduceMin", "reduce_min", kReduction, {1, 2}, kComputed, {1, 11, 12, 13, 18, 20}, emit_reduction, describe_input},
    {"ReduceProd", "reduce_prod", kReduction, {1, 2}, kNumber, {1, 11, 13, 18}, emit_reduction, describe_input},
    {"ReduceSum", "reduce_sum", kReduction, {1, 2}, kNumber, {1, 11, 13}, emit_reduction, describe_input},
    {"ReduceSumSquare", "reduce_sum_square", kReduction, {1, 2}, kNumber, {1, 11, 13, 18}, emit_reduction, describe_input},
    {"Softmax", "softmax", kReduction, {1, 1}, kFloat, {1, 11, 13}, emit_softmax},
    {"SoftmaxCrossEntropyLoss", "softmax_loss", kReduction, {2, 3, 2}, kFloat, {12, 13}, emit_softmax_loss},
    {"TopK", "best", kReduction, {1, 2, 2}, kNumber, {1, 10, 11, 24}, emit_best, describe_input},
    // elements in other places
    {"AffineGrid", "affine_grid", kMovement, {2, 2}, kFloat, {20}, emit_affine_grid},
    {"BlackmanWindow", "window", kMovement, {1, 1}, kWhole, {17}, emit_cosine_window},
    {"CenterCropPad", "centered", kMovement, {2, 2}, kAny, {18}, emit_center_crop_pad, describe_input},
    {"Col2Im", "overlap_add", kReduction, {3, 3}, kNumber, {18}, emit_overlap_add, describe_input},
    {"Concat", "concat", kMovement, {1, kArityMax}, kAny, {1, 4, 11, 13}, emit_concat},
    {"ConstantOfShape", "fill", kMovement, {1, 1}, kAny, {9, 20, 21, 23, 24, 25}, emit_constant_of_shape},
    {"DepthToSpace", "depth_to_space", kMovement, {1, 1}, kAny, {1, 11, 13, 28}, emit_depth_to_space},
    {"Expand", "expand", kMovement, {2, 2}, kAny, {8, 13}, emit_expand, describe_input},
    {"EyeLike", "diagonal", kMovement, {1, 1}, kAny, {9, 22}, emit_diagonal},
    {"Gather", "gather", kMovement, {2, 2}, kAny, {1, 11, 13}, emit_gather},
    {"GatherElements", "gather_elements", kMovement, {2, 2}, kAny, {11, 13}, emit_gather_elements},
    {"GatherND", "gather_tuples", kMovement, {2, 2}, kAny, {11, 12, 13}, emit_gather_tuples},
    {"GridSample", "sampled", kMovement, {2, 2}, kComputed, {16, 20, 22}, emit_grid_sample},
    {"HammingWindow", "window", kMovement, {1, 1}, kWhole, {17}, emit_cosine_window},
    {"HannWindow", "window", kMovement, {1, 1}, kWhole, {17}, emit_cosine_window},
    {"MaxUnpool", "unpool", kReduction, {2, 3}, kNumber, {9, 11, 22}, emit_unpool},
    {"OneHot", "one_hot", kMovement, {3, 3}, kNumber, {9, 11, 28}, emit_one_hot},
    {"Pad", "pad", kMovement, {1, 4}, kAny, {1, 2, 11, 13, 18, 19, 21, 23, 24, 25}, emit_pad, describe_input},
    {"Range", "range", kMovement, {3, 3}, kNumber, {11, 27}, emit_range},
    {"Resize", "resize", kMovement, {1, 4}, kComputed, {10, 11, 13, 18, 19}, emit_resize, describe_input},
    {"ReverseSequence", "reversed", kMovement, {2, 2}, kAny, {10, 28}, emit_reverse_sequence},
    {"RoiAlign", "pooled_regions", kReduction, {3, 3}, kFloat, {10, 16, 22}, emit_pooled_regions},
    {"RotaryEmbedding", "rotated", kMovement, {3, 4}, kFloat, {23}, emit_rotary_embedding},
    {"Scatter", "scatter", kReduction, {3, 3}, kAny, {9, 11}, emit_scatter_elements},
    {"ScatterElements", "scatter", kReduction, {3, 3}, kAny, {11, 13, 16, 18}, emit_scatter_elements},
    {"ScatterND", "scatter_tuples", kReduction, {3, 3}, kAny, {11, 13, 16, 18}, emit_scatter_tuples},
    {"Shape", "shape", kMovement, {1, 1}, kAny, {1, 13, 15, 19, 21, 23, 24, 25}, emit_shape},
    {"Size", "size", kMovement, {1, 1}, kAny, {1, 13, 19, 21, 23, 24, 25}, emit_size},
    {"Slice", "slice", kMovement, {1, 5}, kAny, {1, 10, 11, 13}, emit_slice, describe_input},
    {"SpaceToDepth", "space_to_depth", kMovement, {1, 1}, kAny, {1, 13, 28}, emit_space_to_depth},
    {"Split", "split", kMovement, {1, 2, kArityMax}, kAny, {1, 2, 11, 13, 18}, emit_split, describe_input},
    {"TensorScatter", "written", kMovement, {2, 3}, kAny, {24}, emit_write_from},
    {"Tile", "tile", kMovement, {2, 2}, kAny, {1, 6, 13}, emit_tile, describe_input},
    {"Transpose", "transpose", kMovement, {1, 1}, kAny, {1, 13, 21, 23, 24, 25}, emit_transpose},
    {"Trilu", "triangle", kMovement, {1, 2}, kAny, {14}, emit_triangle, describe_input},
    {"Upsample", "upsample", kMovement, {1, 2}, kComputed, {not_implemented(1), 7, 9, 10}, emit_upsample, describe_input},
    // the same elements under another shape
    {"Flatten", "flatten", kView, {1, 1}, kAny, {1, 9, 11, 13, 21, 23, 24, 25}, emit_flatten, describe_input},
    {"Reshape", "reshape", kView, {2, 2}, kAny, {1, 5, 13, 14, 19, 21, 23, 24, 25}, emit_reshape, describe_input},
    {"Squeeze", "squeeze", kView, {1, 2}, kAny, {1, 11, 13, 21, 23, 24, 25}, emit_squeeze, describe_input},
    {"Unsqueeze", "unsqueeze", kView, {1, 2}, kAny, {1, 11, 13, 21, 23, 24, 25}, emit_unsqueeze, describe_input},
    // hone's own, which stand for parts of others (expand_composed.h)
    {"hone.AssociativeStep", "associative_step", kReduction, {5, 7, 2}, kFloat, {1}, emit_associative_step},
    {"hone.Bounded", "bounded", kView, {2, 2}, kAny, {1}, emit_bounded},
    {"hone.CountedGrams", "counted_grams", kReduction, {4, 4}, kWhole, {1}, emit_counted_grams},
    {"hone.DistinctRows", "distinct_rows", kReduction, {1, 1, 4}, kNumber, {1}, emit_distinct_rows},
    {"hone.EliminateStep", "eliminate_step", kReduction, {2, 2, 2}, kFloat, {1}, emit_eliminate_step},
    {"hone.ElmanStep", "elman_step", kReduction, {4, 5, 2}, kFloat, {1}, emit_elman_step},
    {"hone.Gate", "gate", kView, {2, 2}, kAny, {1}, emit_gate},
    {"hone.FindLast", "find_last", kReduction, {1, 1, 2}, kWhole, {1}, emit_find_last, describe_input},
    {"hone.FoldEquals", "fold_equals", kReduction, {2, 2}, kNumber, {1}, emit_fold_equals, describe_input},
    {"hone.GatedStep", "gated_step", kReduction, {4, 6, 2}, kFloat, {1}, emit_gated_step},
    {"hone.MergeRuns", "merge_runs", kReduction, {2, 2, 2}, kNumber, {1}, emit_merge_runs, describe_input},
    {"hone.Overflow", "overflow", kReduction, {1, kArityMax - 1}, kAny, {1}, emit_overflow},
    {"hone.Places", "places", kReduction, {1, 1, 2}, kComputed, {1}, emit_places},
    {"hone.RowNumbers", "row_numbers", kMovement, {1, 1}, kWhole, {1}, emit_row_numbers, describe_input},
    {"hone.SuppressStep", "suppress_step", kReduction, {3, 3, 2}, kFloat, {1}, emit_suppress_step},
    {"hone.UnpackedBlocks", "unpacked", kMovement, {2, 3}, kNumber, {1}, emit_unpacked_blocks},
    {"hone.LongShortStep", "long_short_step", kReduction, {5, 7, 3}, kFloat, {1}, emit_long_short_step},
    // of loops whose trips a run counts (loops.h)
    {"hone.Copy", "copy", kState, {1, 1}, kAny, {1}, emit_copy},
    {"hone.LoopState", "copy", kState, {1, 2}, kAny, {1}, emit_copy},
    {"hone.LoopEnd", "loop", kState, {2, kArityMax, kArityMax}, kAny, {1}, emit_loop_end},
};

}  // namespace

const OpEntry* find_op(std::string_view op) {
  static const auto* const kByName = [] {
    auto* out = new std::unordered_map<std::string_view, const OpEntry*>;
    for (const OpEntry& entry : kOps) out->emplace(entry.op, &entry);
    return out;
  }();
  const auto it = kByName->find(op);
  return it == kByName->end() ? nullptr : it->second;
}

std::vector<std::string_view> supported_ops() {
  std::vector<std::string_view> names;
  for (const OpEntry& entry : kOps)
    if (!is_own(entry.op)) names.push_back(entry.op);
  return names;
}

namespace {

// The opsets in words: "7, 9, 10".
std::string implemented_text(const Definitions& definitions) {
  std::string out;
  for (int opset : definitions)
    if (opset > 0) out += cat(out.empty() ? "" : ", ", opset);
  return out;
}

int selected_definition(const Definitions& definitions, int opset) {
  int selected = definitions[0];
  for (int published : definitions)
    if (published != 0 && std::abs(published) <= opset) selected = published;
  return selected;
}

}  // namespace

int definition_of(const OpEntry& entry, int opset) { return std::abs(selected_definition(entry.definitions, opset)); }

Status check_definition(const OpEntry& entry, int opset) {
  const int selected = selected_definition(entry.definitions, opset);
  if (selected > 0) return ok_status();
  return Error{ErrorCode::kUnsupported,
               cat("the model's opset ", opset, " means ", entry.op, " as opset ", -selected,
                   " defines it, which hone does not support; it knows the definitions of opset ",
                   implemented_text(entry.definitions), "; export the model with another opset, or convert it: ",
                   kConvertOpset)};
}

namespace {

Status check_count(std::string_view what, size_t found, size_t least, size_t most) {
  if (found >= least && found <= most) return ok_status();
  const std::string expected = least == most ? cat(least) : cat(least, " to ", most);
  const std::string message = cat("has ", found, " ", what, found == 1 ? "" : "s", "; expected ", expected);
  if (most == kArityMax && found > most)
    return Error{ErrorCode::kLimitExceeded, cat(message, ", split the node into several")};
  return Error{ErrorCode::kBadModel, message};
}

}  // namespace

Status check_arity(const Arity& arity, const Node& node) {
  HONE_TRY(check_count("input", node.inputs.size(), arity.inputs_min, arity.inputs_max));
  HONE_TRY(check_count("output", node.outputs.size(), 1, arity.outputs_max));
  const size_t needed = arity.inputs_max == kArityMax ? node.inputs.size() : arity.inputs_min;
  for (size_t i = 0; i < needed; i++)
    if (node.inputs[i] == kNoValue)
      return Error{ErrorCode::kBadModel, cat("its input ", i, " is left out; expected a value")};
  return ok_status();
}

namespace {

Status check_type(const OpEntry& entry, const Value& value) {
  const ir::DType dtype = value.dtype;
  const bool fits = entry.types == kComputed || (entry.types == kNumber && dtype != ir::DType::kBool) ||
                    (entry.types == kFloat && ir::is_float(dtype)) || (entry.types == kWhole && ir::is_int(dtype)) ||
                    (entry.types == kLogic && dtype == ir::DType::kBool);
  if (entry.types == kAny || (fits && !ir::is_model_only(dtype))) return ok_status();
  const char* expected = entry.types == kLogic ? "bool" : entry.types == kFloat ? "a float of 16 bits or more" : entry.types == kWhole ? "whole numbers of 8 bits or more" : "numbers of 8 bits or more, of floats 16";
  return Error{ErrorCode::kUnsupported,
               cat("its input '", value.name, "' has element type ", ir::dtype_name(dtype), "; expected ", expected)};
}

Result<std::vector<te::Tensor>> emit_checked(const OpEntry& entry, const OpCall& call) {
  HONE_TRY(check_arity(entry.arity, call.node));
  HONE_TRY(check_type(entry, call.value(0)));
  auto made = entry.emit(call);
  HONE_TRY(call.attributes_read());
  return made;
}

}  // namespace

Result<std::vector<te::Tensor>> emit_op(const OpCall& call) {
  const OpEntry* entry = find_op(call.node.op);
  if (!entry)
    return Error{ErrorCode::kUnsupported, cat("operator ", call.node.op, " of ", node_text(call.graph, call.node), " is not supported")};
  auto result = emit_checked(*entry, call);
  if (result.ok()) return result;
  return Error{result.error().code, cat(node_text(call.graph, call.node), ": ", result.error().message)};
}

}  // namespace hone::graph
