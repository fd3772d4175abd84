#include <algorithm>
#include <cmath>

#include "base/cat.h"
#include "codegen/graph/passes.h"

namespace hone::graph {
namespace {

struct Normalization {
  std::vector<double> factor, offset;  // y = x · factor[c] + offset[c]
};

// The normalisation as one multiplication and one addition per channel, when its statistics are known.
bool read_normalization(const Graph& graph, const Node& node, Normalization& out) {
  if (node.inputs.size() != 5 || node.outputs.size() != 1) return false;
  std::vector<double> parts[4];
  for (size_t i = 0; i < 4; i++) {
    const Value& v = graph.value(node.inputs[i + 1]);
    if (!v.constant || !v.bytes) return false;
    parts[i] = to_doubles({v.dtype, v.shape, v.bytes});
  }
  const auto it = node.attributes.find("epsilon");
  const double* given = it == node.attributes.end() ? nullptr : std::get_if<double>(&it->second);
  const double epsilon = given ? *given : 1e-5;
  for (size_t c = 0; c < parts[0].size(); c++) {
    const double factor = parts[0][c] / std::sqrt(parts[3][c] + epsilon);
    out.factor.push_back(factor);
    out.offset.push_back(parts[1][c] - parts[2][c] * factor);
  }
  return true;
}

ValueId add_constant(Graph& graph, std::string name, ConstantTensor tensor) {
  Value value;
  value.name = std::move(name);
  value.dtype = tensor.dtype;
  value.shape = std::move(tensor.shape);
  value.shape_known = value.constant = true;
  value.bytes = std::move(tensor.bytes);
  return graph.add_value(std::move(value));
}

bool fold_into(Graph& graph, Node& conv, const Node& norm) {
  const Value weights = graph.value(conv.inputs[1]);
  const bool has_bias = conv.inputs.size() > 2 && conv.inputs[2] != kNoValue;
  if (!weights.constant || !weights.bytes || weights.shape.empty()) return false;
  if (has_bias && !graph.value(conv.inputs[2]).bytes) return false;
  Normalization n;
  if (!read_normalization(graph, norm, n) || n.factor.size() != static_cast<size_t>(weights.shape[0])) return false;
  std::vector<double> w = to_doubles({weights.dtype, weights.shape, weights.bytes}), bias = n.offset;
  const size_t per_output = w.size() / std::max<size_t>(n.factor.size(), 1);
  for (size_t i = 0; i < w.size(); i++) w[i] *= n.factor[i / per_output];
  if (has_bias) {
    const Value& old = graph.value(conv.inputs[2]);
    const std::vector<double> b = to_doubles({old.dtype, old.shape, old.bytes});
    for (size_t c = 0; c < bias.size() && c < b.size(); c++) bias[c] += b[c] * n.factor[c];
  }
  conv.inputs.resize(3, kNoValue);
  conv.inputs[1] = add_constant(graph, cat(weights.name, ".folded"), from_doubles(weights.dtype, weights.shape, w));
  conv.inputs[2] =
      add_constant(graph, cat(weights.name, ".bias"), from_doubles(weights.dtype, {weights.shape[0]}, bias));
  conv.outputs[0] = norm.outputs[0];
  return true;
}

}  // namespace

void fold_batch_normalization(Graph& graph) {
  const auto producers = producers_of(graph);
  const auto consumers = consumers_of(graph);
  const std::vector<bool> leaves = marks_of(graph, graph.outputs);
  std::vector<bool> gone(graph.nodes.size(), false);
  for (size_t i = 0; i < graph.nodes.size(); i++) {
    const Node& norm = graph.nodes[i];
    if (norm.op != "BatchNormalization" || norm.inputs.empty() || norm.inputs[0] == kNoValue) continue;
    const ValueId x = norm.inputs[0];
    const int producer = producers[static_cast<size_t>(x)];
    if (producer < 0 || graph.nodes[static_cast<size_t>(producer)].op != "Conv") continue;
    if (consumers[static_cast<size_t>(x)].size() != 1 || leaves[static_cast<size_t>(x)]) continue;
    gone[i] = fold_into(graph, graph.nodes[static_cast<size_t>(producer)], norm);
  }
  size_t i = 0;
  graph.nodes.erase(std::remove_if(graph.nodes.begin(), graph.nodes.end(), [&](const Node&) { return gone[i++]; }),
                    graph.nodes.end());
}

}  // namespace hone::graph
