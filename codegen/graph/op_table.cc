#include "codegen/graph/op_table.h"

#include <algorithm>
#include <limits>

#include "base/cat.h"
#include "codegen/graph/op_emitters.h"
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
  for (size_t i = 0; i < call.node.inputs.size(); i++) operands.push_back(call.operand(i, i == 0 ? "A" : "R"));
  if (operands.empty()) return Error{ErrorCode::kBadModel, "expected at least one input"};
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
Sym thresholded_relu(const OpCall& c, Sym x) { return te::thresholded_relu(x, c.number("alpha", 1)); }
Sym same(Sym x) { return x; }

using enum OpKind;

constexpr OpEntry kOps[] = {
    // products and sliding windows
    {"Conv", "conv", kReduction, emit_conv, describe_conv},
    {"ConvInteger", "conv_integer", kReduction, emit_conv_integer, describe_conv},
    {"ConvTranspose", "conv_transposed", kReduction, emit_conv_transposed, describe_conv},
    {"Gemm", "gemm", kReduction, emit_gemm, describe_gemm},
    {"MatMul", "matmul", kReduction, emit_matmul, describe_matmul},
    {"MatMulInteger", "matmul_integer", kReduction, emit_matmul_integer, describe_matmul},
    {"AveragePool", "average_pool", kReduction, emit_average_pool, describe_pool},
    {"GlobalAveragePool", "global_average_pool", kReduction, emit_global_average_pool},
    {"GlobalMaxPool", "global_max_pool", kReduction, emit_global_max_pool},
    {"MaxPool", "max_pool", kReduction, emit_max_pool, describe_pool},
    // element by element
    {"Abs", "abs", kElementwise, unary<te::absolute>},
    {"Acos", "acos", kElementwise, unary<te::arc_cosine>},
    {"Acosh", "acosh", kElementwise, unary<te::arc_hyperbolic_cosine>},
    {"Add", "add", kElementwise, binary<te::sum>},
    {"And", "and", kElementwise, binary<te::logical_and>},
    {"Asin", "asin", kElementwise, unary<te::arc_sine>},
    {"Asinh", "asinh", kElementwise, unary<te::arc_hyperbolic_sine>},
    {"Atan", "atan", kElementwise, unary<te::arc_tangent>},
    {"Atanh", "atanh", kElementwise, unary<te::arc_hyperbolic_tangent>},
    {"BatchNormalization", "norm", kElementwise, emit_batch_normalization},
    {"Cast", "cast", kElementwise, emit_cast},
    {"CastLike", "cast", kElementwise, emit_cast_like},
    {"Ceil", "ceil", kElementwise, unary<te::ceiling>},
    {"Celu", "celu", kElementwise, parametric<celu>},
    {"Clip", "clip", kElementwise, emit_clip},
    {"Cos", "cos", kElementwise, unary<te::cosine>},
    {"Cosh", "cosh", kElementwise, unary<te::hyperbolic_cosine>},
    {"DequantizeLinear", "dequantize", kElementwise, emit_dequantize},
    {"Div", "div", kElementwise, binary<te::quotient>},
    {"Dropout", "identity", kElementwise, emit_dropout},
    {"Elu", "elu", kElementwise, parametric<elu>},
    {"Equal", "equal", kElementwise, binary<te::equals>},
    {"Erf", "erf", kElementwise, unary<te::error_function>},
    {"Exp", "exp", kElementwise, unary<te::exponential>},
    {"Floor", "floor", kElementwise, unary<te::floor_of>},
    {"Gelu", "gelu", kElementwise, emit_gelu},
    {"Greater", "greater", kElementwise, binary<te::greater>},
    {"GreaterOrEqual", "greater_or_equal", kElementwise, binary<te::greater_or_equal>},
    {"HardSigmoid", "hard_sigmoid", kElementwise, parametric<hard_sigmoid>},
    {"HardSwish", "hard_swish", kElementwise, unary<te::hard_swish>},
    {"Identity", "identity", kElementwise, unary<same>},
    {"LeakyRelu", "leaky_relu", kElementwise, parametric<leaky_relu>},
    {"Less", "less", kElementwise, binary<te::less>},
    {"LessOrEqual", "less_or_equal", kElementwise, binary<te::less_or_equal>},
    {"Log", "log", kElementwise, unary<te::logarithm>},
    {"Max", "max", kElementwise, variadic<te::larger>},
    {"Mean", "sum", kElementwise, mean},
    {"Min", "min", kElementwise, variadic<te::smaller>},
    {"Mish", "mish", kElementwise, unary<te::mish>},
    {"Mod", "mod", kElementwise, emit_mod},
    {"Mul", "mul", kElementwise, binary<te::product>},
    {"Neg", "neg", kElementwise, unary<te::negation>},
    {"Not", "not", kElementwise, unary<te::logical_negation>},
    {"Or", "or", kElementwise, binary<te::logical_or>},
    {"PRelu", "prelu", kElementwise, binary<te::parametric_relu>},
    {"Pow", "pow", kElementwise, binary<te::power>},
    {"QuantizeLinear", "quantize", kElementwise, emit_quantize},
    {"Reciprocal", "reciprocal", kElementwise, unary<te::reciprocal>},
    {"Relu", "relu", kElementwise, unary<te::relu>},
    {"Round", "round", kElementwise, unary<te::rounded>},
    {"Selu", "selu", kElementwise, parametric<selu>},
    {"Shrink", "shrink", kElementwise, emit_shrink},
    {"Sigmoid", "sigmoid", kElementwise, unary<te::sigmoid>},
    {"Sign", "sign", kElementwise, unary<te::sign>},
    {"Sin", "sin", kElementwise, unary<te::sine>},
    {"Sinh", "sinh", kElementwise, unary<te::hyperbolic_sine>},
    {"Softplus", "softplus", kElementwise, unary<te::softplus>},
    {"Softsign", "softsign", kElementwise, unary<te::softsign>},
    {"Sqrt", "sqrt", kElementwise, unary<te::square_root>},
    {"Sub", "sub", kElementwise, binary<te::difference>},
    {"Sum", "sum", kElementwise, variadic<te::sum>},
    {"Tan", "tan", kElementwise, unary<te::tangent>},
    {"Tanh", "tanh", kElementwise, unary<te::tangent_hyperbolic>},
    {"ThresholdedRelu", "thresholded_relu", kElementwise, parametric<thresholded_relu>},
    {"Where", "where", kElementwise, emit_where},
    {"Xor", "xor", kElementwise, binary<te::exclusive_or>},
    // reductions over dimensions
    {"ArgMax", "arg_max", kReduction, emit_arg_extreme},
    {"ArgMin", "arg_min", kReduction, emit_arg_extreme},
    {"DynamicQuantizeLinear", "dynamic_quantize", kReduction, emit_dynamic_quantize},
    {"Hardmax", "hard_max", kReduction, emit_hardmax},
    {"InstanceNormalization", "instance_norm", kReduction, emit_instance_normalization},
    {"LRN", "local_response", kReduction, emit_local_response},
    {"LayerNormalization", "layer_norm", kReduction, emit_layer_normalization},
    {"LogSoftmax", "log_softmax", kReduction, emit_softmax},
    {"LpNormalization", "unit_length", kReduction, emit_unit_length},
    {"MeanVarianceNormalization", "standardize", kReduction, emit_mean_variance_normalization},
    {"ReduceL1", "reduce_l1", kReduction, emit_reduction, describe_input},
    {"ReduceL2", "reduce_l2", kReduction, emit_reduction, describe_input},
    {"ReduceLogSum", "reduce_log_sum", kReduction, emit_reduction, describe_input},
    {"ReduceLogSumExp", "reduce_log_sum_exp", kReduction, emit_reduction, describe_input},
    {"ReduceMax", "reduce_max", kReduction, emit_reduction, describe_input},
    {"ReduceMean", "reduce_mean", kReduction, emit_reduction, describe_input},
    {"ReduceMin", "reduce_min", kReduction, emit_reduction, describe_input},
    {"ReduceProd", "reduce_prod", kReduction, emit_reduction, describe_input},
    {"ReduceSum", "reduce_sum", kReduction, emit_reduction, describe_input},
    {"ReduceSumSquare", "reduce_sum_square", kReduction, emit_reduction, describe_input},
    {"Softmax", "softmax", kReduction, emit_softmax},
    // elements in other places
    {"Concat", "concat", kMovement, emit_concat},
    {"ConstantOfShape", "fill", kMovement, emit_constant_of_shape},
    {"DepthToSpace", "depth_to_space", kMovement, emit_depth_to_space},
    {"Expand", "expand", kMovement, emit_expand, describe_input},
    {"Gather", "gather", kMovement, emit_gather},
    {"GatherElements", "gather_elements", kMovement, emit_gather_elements},
    {"OneHot", "one_hot", kMovement, emit_one_hot},
    {"Pad", "pad", kMovement, emit_pad, describe_input},
    {"Range", "range", kMovement, emit_range},
    {"Resize", "resize", kMovement, emit_resize, describe_input},
    {"Shape", "shape", kMovement, emit_shape},
    {"Size", "size", kMovement, emit_size},
    {"Slice", "slice", kMovement, emit_slice, describe_input},
    {"SpaceToDepth", "space_to_depth", kMovement, emit_space_to_depth},
    {"Split", "split", kMovement, emit_split, describe_input},
    {"Tile", "tile", kMovement, emit_tile, describe_input},
    {"Transpose", "transpose", kMovement, emit_transpose},
    {"Trilu", "triangle", kMovement, emit_triangle, describe_input},
    {"Upsample", "upsample", kMovement, emit_upsample, describe_input},
    // the same elements under another shape
    {"Flatten", "flatten", kView, emit_flatten, describe_input},
    {"Reshape", "reshape", kView, emit_reshape, describe_input},
    {"Squeeze", "squeeze", kView, emit_squeeze, describe_input},
    {"Unsqueeze", "unsqueeze", kView, emit_unsqueeze, describe_input},
};

}  // namespace

const OpEntry* find_op(std::string_view op) {
  for (const OpEntry& entry : kOps)
    if (entry.op == op) return &entry;
  return nullptr;
}

std::vector<std::string_view> supported_ops() {
  std::vector<std::string_view> names;
  for (const OpEntry& entry : kOps) names.push_back(entry.op);
  return names;
}

Result<std::vector<te::Tensor>> emit_op(const OpCall& call) {
  const OpEntry* entry = find_op(call.node.op);
  if (!entry)
    return Error{ErrorCode::kUnsupported, cat("operator ", call.node.op, " of ", node_text(call.graph, call.node), " is not supported")};
  auto result = entry->emit(call);
  if (result.ok()) return result;
  return Error{result.error().code, cat(node_text(call.graph, call.node), ": ", result.error().message)};
}

}  // namespace hone::graph
