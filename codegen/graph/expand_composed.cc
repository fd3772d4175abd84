#include "codegen/graph/expand_composed.h"

#include <algorithm>

#include "base/cat.h"
#include "codegen/graph/limits.h"
#include "codegen/graph/op_arguments.h"

namespace hone::graph {
namespace {

constexpr ComposedOp kComposed[] = {
    {"Bernoulli", {1, 1}, expand_bernoulli},
    {"Compress", {2, 2}, expand_compress},
    {"Det", {1, 1}, expand_determinant, determinant_steps},
    {"GRU", {3, 6, 2}, expand_recurrent, recurrent_steps},
    {"LSTM", {3, 8, 3}, expand_recurrent, recurrent_steps},
    {"LinearAttention", {3, 6, 2}, expand_linear_attention, recurrent_steps},
    {"MelWeightMatrix", {5, 5}, expand_mel_weights},
    {"Multinomial", {1, 1}, expand_multinomial},
    {"NonMaxSuppression", {2, 5}, expand_suppression, suppression_steps},
    {"NonZero", {1, 1}, expand_nonzero},
    {"RNN", {3, 6, 2}, expand_recurrent, recurrent_steps},
    {"RandomNormal", {0, 0}, expand_random_normal},
    {"RandomNormalLike", {1, 1}, expand_random_normal},
    {"RandomUniform", {0, 0}, expand_random_uniform},
    {"RandomUniformLike", {1, 1}, expand_random_uniform},
    {"SimplifiedLayerNormalization", {2, 2}, expand_simplified_norm},
    {"TfIdfVectorizer", {1, 1}, expand_grams},
    {"Unique", {1, 1, 4}, expand_unique},
    {"ai.onnx.ml.ArrayFeatureExtractor", {2, 2}, expand_features},
    {"ai.onnx.ml.Binarizer", {1, 1}, expand_binarizer},
    {"ai.onnx.ml.LabelEncoder", {1, 1}, expand_label_encoder},
    {"ai.onnx.ml.Normalizer", {1, 1}, expand_normalizer},
    {"ai.onnx.ml.Scaler", {1, 1}, expand_scaler},
    {"ai.onnx.ml.TreeEnsemble", {1, 1}, expand_tree_ensemble},
    {"com.microsoft.BiasGelu", {2, 2}, expand_bias_gelu},
    {"com.microsoft.DequantizeLinear", {2, 3}, expand_linear_dequantize},
    {"com.microsoft.EmbedLayerNormalization", {7, 9, 3}, expand_embedding},
    {"com.microsoft.FastGelu", {1, 2}, expand_fast_gelu},
    {"com.microsoft.FusedConv", {2, 4}, expand_fused_conv},
    {"com.microsoft.FusedGemm", {2, 3}, expand_fused_gemm},
    {"com.microsoft.FusedMatMul", {2, 2}, expand_fused_matmul},
    {"com.microsoft.Gelu", {1, 1}, expand_gelu},
    {"com.microsoft.GroupQueryAttention", {1, 11, 3}, expand_grouped_attention},
    {"com.microsoft.MatMulIntegerToFloat", {4, 7}, expand_integer_matmul},
    {"com.microsoft.MatMulNBits", {3, 6}, expand_packed_matmul},
    {"com.microsoft.MultiHeadAttention", {3, 8, 3}, expand_multi_head_attention},
    {"com.microsoft.QLinearAdd", {7, 8}, expand_quantized_binary},
    {"com.microsoft.QLinearAveragePool", {4, 5}, expand_quantized_unary},
    {"com.microsoft.QLinearConcat", {5, kArityMax}, expand_quantized_concat},
    {"com.microsoft.QLinearGlobalAveragePool", {5, 5}, expand_quantized_unary},
    {"com.microsoft.QLinearLeakyRelu", {4, 5}, expand_quantized_unary},
    {"com.microsoft.QLinearMul", {7, 8}, expand_quantized_binary},
    {"com.microsoft.QLinearSigmoid", {4, 5}, expand_quantized_unary},
    {"com.microsoft.QuantizeLinear", {2, 3}, expand_linear_quantize},
    {"com.microsoft.QuickGelu", {1, 1}, expand_quick_gelu},
    {"com.microsoft.RotaryEmbedding", {4, 4}, expand_rotary},
    {"com.microsoft.SkipLayerNormalization", {3, 5, 4}, expand_skip_norm},
    {"com.microsoft.SkipSimplifiedLayerNormalization", {3, 4, 4}, expand_skip_norm},
};

OpCall call_of(te::Builder& builder, const Graph& graph, const Node& node) {
  return OpCall(builder, graph, node, [](ValueId, std::string_view) { return te::Tensor(nullptr); });
}

Status check_node(const ComposedOp& op, const Graph& graph, const Node& node) {
  Arity arity = op.arity;
  arity.outputs_max = kArityMax;  // what nobody reads may stand there
  HONE_TRY(check_arity(arity, node));
  for (ValueId id : node.inputs)
    if (id != kNoValue && !graph.value(id).shape_known) return bad_node(cat("reads '", graph.value(id).name, "', whose shape is not known"));
  return ok_status();
}

}  // namespace

const ComposedOp* find_composed(std::string_view op) {
  const auto it = std::find_if(std::begin(kComposed), std::end(kComposed), [&](const ComposedOp& c) { return c.op == op; });
  return it == std::end(kComposed) ? nullptr : it;
}

std::vector<std::string_view> composed_ops() {
  std::vector<std::string_view> names;
  for (const ComposedOp& op : kComposed) names.push_back(op.op);
  return names;
}

Result<int64_t> count_composed(const Graph& graph, const Node& node) {
  const ComposedOp& op = *find_composed(node.op);
  HONE_TRY(check_node(op, graph, node));
  te::Builder builder;
  return op.count ? op.count(call_of(builder, graph, node)) : 0;
}

Expanded expand_composed(Graph& graph, const Node& node) {
  const ComposedOp& op = *find_composed(node.op);
  HONE_TRY(check_node(op, graph, node));
  te::Builder builder;
  const OpCall call = call_of(builder, graph, node);
  NodeWriter nodes(graph);
  HONE_ASSIGN(made, op.expand(nodes, call));
  HONE_TRY(call.attributes_read());
  made.resize(node.outputs.size(), kNoValue);
  return made;
}

}  // namespace hone::graph
