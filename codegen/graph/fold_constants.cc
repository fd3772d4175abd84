#include "codegen/graph/fold_constants.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/cat.h"
#include "codegen/graph/infer_shapes.h"
#include "codegen/graph/op_table.h"
#include "codegen/te/evaluate.h"

namespace hone::graph {
namespace {

// Larger results stay in the model: the evaluator is no fast machine.
constexpr int64_t kFoldElementsMax = int64_t{1} << 24;

bool is_known(const Value& value) { return value.constant && value.bytes; }

// Computes the node's outputs when its definition reads constants only (or, as for shapes, nothing). False: it reads more.
Result<bool> evaluate_node(Graph& graph, const Node& node) {
  te::Builder builder;
  std::vector<ValueId> read;
  const OpCall call(builder, graph, node, [&](ValueId id, std::string_view name) {
    read.push_back(id);
    return builder.input(name, graph.value(id).dtype, graph.value(id).shape);
  });
  HONE_ASSIGN(outputs, emit_op(call));
  std::vector<std::vector<double>> inputs;
  for (ValueId id : read) {
    const Value& v = graph.value(id);
    if (!is_known(v)) return false;
    inputs.push_back(to_doubles({v.dtype, v.shape, v.bytes}));
  }
  for (te::Tensor t : outputs) builder.output(t);
  const auto results = te::evaluate(builder.program(), inputs);
  size_t next = 0;
  for (ValueId id : node.outputs) {
    if (id == kNoValue) continue;
    Value& value = graph.value(id);
    value.bytes = from_doubles(value.dtype, value.shape, results[next++]).bytes;
    value.constant = true;
  }
  return true;
}

bool hands_on(const Node& node) { return node.op == "Identity" || (node.op == "Dropout" && node.outputs.size() == 1); }

void replace_uses(Graph& graph, ValueId from, ValueId to) {
  for (Node& node : graph.nodes) std::replace(node.inputs.begin(), node.inputs.end(), from, to);
}

bool is_small(const Graph& graph, const Node& node) {
  return std::all_of(node.outputs.begin(), node.outputs.end(), [&](ValueId id) {
    return id == kNoValue || ir::element_count(graph.value(id).shape) <= kFoldElementsMax;
  });
}

}  // namespace

void drop_dead_nodes(Graph& graph) {
  std::vector<bool> needed(graph.values.size(), false);
  for (ValueId id : graph.outputs) needed[static_cast<size_t>(id)] = true;
  std::vector<Node> kept;
  for (auto it = graph.nodes.rbegin(); it != graph.nodes.rend(); ++it) {
    const auto is_needed = [&](ValueId id) { return id != kNoValue && needed[static_cast<size_t>(id)]; };
    if (std::none_of(it->outputs.begin(), it->outputs.end(), is_needed)) continue;
    for (ValueId id : it->inputs)
      if (id != kNoValue) needed[static_cast<size_t>(id)] = true;
    kept.push_back(std::move(*it));
  }
  std::reverse(kept.begin(), kept.end());
  graph.nodes = std::move(kept);
}

Status fold_constants(Graph& graph) {
  std::vector<Node> kept;
  for (size_t i = 0; i < graph.nodes.size(); i++) {
    const Node node = graph.nodes[i];
    HONE_TRY(infer_node(graph, node));
    bool known = false;
    if (is_small(graph, node)) {
      HONE_ASSIGN(evaluated, evaluate_node(graph, node));
      known = evaluated;
    }
    if (known) {
      if (std::none_of(node.outputs.begin(), node.outputs.end(), [&](ValueId id) { return is_graph_output(graph, id); })) continue;
    } else if (hands_on(node) && !is_graph_output(graph, node.outputs[0])) {
      replace_uses(graph, node.outputs[0], node.inputs[0]);
      continue;
    }
    kept.push_back(node);
  }
  graph.nodes = std::move(kept);
  drop_dead_nodes(graph);
  return ok_status();
}

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
  conv.inputs[2] = add_constant(graph, cat(weights.name, ".bias"), from_doubles(weights.dtype, {weights.shape[0]}, bias));
  conv.outputs[0] = norm.outputs[0];
  return true;
}

}  // namespace

void fold_batch_normalization(Graph& graph) {
  const auto producers = producers_of(graph);
  const auto consumers = consumers_of(graph);
  std::vector<bool> gone(graph.nodes.size(), false);
  for (size_t i = 0; i < graph.nodes.size(); i++) {
    const Node& norm = graph.nodes[i];
    if (norm.op != "BatchNormalization" || norm.inputs.empty() || norm.inputs[0] == kNoValue) continue;
    const ValueId x = norm.inputs[0];
    const int producer = producers[static_cast<size_t>(x)];
    if (producer < 0 || graph.nodes[static_cast<size_t>(producer)].op != "Conv") continue;
    if (consumers[static_cast<size_t>(x)].size() != 1 || is_graph_output(graph, x)) continue;
    gone[i] = fold_into(graph, graph.nodes[static_cast<size_t>(producer)], norm);
  }
  size_t i = 0;
  graph.nodes.erase(std::remove_if(graph.nodes.begin(), graph.nodes.end(), [&](const Node&) { return gone[i++]; }), graph.nodes.end());
}

}  // namespace hone::graph
