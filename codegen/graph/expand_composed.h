// Operators that hone takes apart: each stands for nodes of other operators, as their published definitions say. Recurrent layers stand for a node for each place of their
// sequence; those of com.microsoft, which ONNX Runtime's optimiser and exporters of language models write, for nodes of ONNX's.
#pragma once
#include <string_view>
#include <vector>

#include "codegen/graph/node_writer.h"
#include "codegen/graph/op_table.h"

namespace hone::graph {

// A value for each output, in their places; kNoValue, or none at the end, for what is not computed.
using Expanded = Result<std::vector<ValueId>>;

struct ComposedOp {
  std::string_view op;  // with its domain, where that is not ONNX's own
  Arity arity;
  Expanded (*expand)(NodeWriter& nodes, const OpCall& call) = nullptr;
  Result<int64_t> (*count)(const OpCall& call) = nullptr;  // of nodes, about; null: as many as expand writes down
};

const ComposedOp* find_composed(std::string_view op);
std::vector<std::string_view> composed_ops();

// How many nodes stand for the node, about, where that follows from its inputs; 0: no more than expand_composed writes down. Needs: the shapes of its inputs. Fails: bad_model.
Result<int64_t> count_composed(const Graph& graph, const Node& node);
// Appends the nodes to `graph`, and returns a value for each of the node's outputs; kNoValue for one that is not wanted (kNoValue in the node), or not computed. Needs: the
// shapes of its inputs. Fails: bad_model, unsupported.
Expanded expand_composed(Graph& graph, const Node& node);

// By family.
Expanded expand_recurrent(NodeWriter& nodes, const OpCall& call);
Expanded expand_linear_attention(NodeWriter& nodes, const OpCall& call);
Result<int64_t> recurrent_steps(const OpCall& call);

Expanded expand_compress(NodeWriter& nodes, const OpCall& call);
Expanded expand_nonzero(NodeWriter& nodes, const OpCall& call);
Expanded expand_suppression(NodeWriter& nodes, const OpCall& call);
Expanded expand_unique(NodeWriter& nodes, const OpCall& call);
Result<int64_t> suppression_steps(const OpCall& call);

Expanded expand_determinant(NodeWriter& nodes, const OpCall& call);
Result<int64_t> determinant_steps(const OpCall& call);

Expanded expand_bernoulli(NodeWriter& nodes, const OpCall& call);
Expanded expand_multinomial(NodeWriter& nodes, const OpCall& call);
Expanded expand_random_normal(NodeWriter& nodes, const OpCall& call);
Expanded expand_random_uniform(NodeWriter& nodes, const OpCall& call);

Expanded expand_mel_weights(NodeWriter& nodes, const OpCall& call);

Expanded expand_label_encoder(NodeWriter& nodes, const OpCall& call);
Expanded expand_tree_ensemble(NodeWriter& nodes, const OpCall& call);

Expanded expand_grams(NodeWriter& nodes, const OpCall& call);

Expanded expand_binarizer(NodeWriter& nodes, const OpCall& call);
Expanded expand_features(NodeWriter& nodes, const OpCall& call);
Expanded expand_normalizer(NodeWriter& nodes, const OpCall& call);
Expanded expand_scaler(NodeWriter& nodes, const OpCall& call);

Expanded expand_bias_gelu(NodeWriter& nodes, const OpCall& call);
Expanded expand_embedding(NodeWriter& nodes, const OpCall& call);
Expanded expand_fast_gelu(NodeWriter& nodes, const OpCall& call);
Expanded expand_fused_conv(NodeWriter& nodes, const OpCall& call);
Expanded expand_fused_gemm(NodeWriter& nodes, const OpCall& call);
Expanded expand_fused_matmul(NodeWriter& nodes, const OpCall& call);
Expanded expand_gelu(NodeWriter& nodes, const OpCall& call);
Expanded expand_packed_matmul(NodeWriter& nodes, const OpCall& call);
Expanded expand_quick_gelu(NodeWriter& nodes, const OpCall& call);
Expanded expand_simplified_norm(NodeWriter& nodes, const OpCall& call);
Expanded expand_skip_norm(NodeWriter& nodes, const OpCall& call);

Expanded expand_grouped_attention(NodeWriter& nodes, const OpCall& call);
Expanded expand_multi_head_attention(NodeWriter& nodes, const OpCall& call);
Expanded expand_rotary(NodeWriter& nodes, const OpCall& call);

Expanded expand_integer_matmul(NodeWriter& nodes, const OpCall& call);
Expanded expand_linear_dequantize(NodeWriter& nodes, const OpCall& call);
Expanded expand_linear_quantize(NodeWriter& nodes, const OpCall& call);
Expanded expand_quantized_binary(NodeWriter& nodes, const OpCall& call);
Expanded expand_quantized_concat(NodeWriter& nodes, const OpCall& call);
Expanded expand_quantized_unary(NodeWriter& nodes, const OpCall& call);

}  // namespace hone::graph
