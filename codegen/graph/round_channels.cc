#include "codegen/graph/round_channels.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "base/cat.h"
#include "codegen/graph/check_shape.h"

namespace hone::graph {
namespace {

constexpr int64_t kLanes = 4;
constexpr double kGrowthMax = 1.34;

int64_t rounded(int64_t channels) { return (channels + kLanes - 1) / kLanes * kLanes; }

Shape padded(Shape shape) {
  shape[1] = rounded(shape[1]);
  return shape;
}

bool wants_rounding(const Graph& graph, const Node& node, const std::vector<bool>& is_input) {
  if (node.op != "Conv" || node.inputs.size() < 2) return false;
  const auto group = node.attributes.find("group");
  if (group != node.attributes.end() && std::get_if<int64_t>(&group->second) && std::get<int64_t>(group->second) != 1) return false;
  const ValueId x = node.inputs[0];
  if (static_cast<size_t>(x) >= is_input.size() || !is_input[static_cast<size_t>(x)] || !graph.value(node.inputs[1]).constant) return false;
  const int64_t channels = graph.value(x).shape[1];
  for (ValueId id : {x, node.inputs[1]})
    if (!check_shape(padded(graph.value(id).shape), "").ok()) return false;
  return channels % kLanes != 0 && static_cast<double>(rounded(channels)) <= kGrowthMax * static_cast<double>(channels);
}

// [o, c, taps…] → [o, rounded c, taps…], the new channels zero.
std::shared_ptr<const std::string> pad_weights(const Value& w) {
  if (!w.bytes || w.bytes->empty()) return w.bytes;
  const size_t per_output = w.bytes->size() / static_cast<size_t>(w.shape[0]);
  const size_t padded = per_output / static_cast<size_t>(w.shape[1]) * static_cast<size_t>(rounded(w.shape[1]));
  std::string out(padded * static_cast<size_t>(w.shape[0]), '\0');
  for (size_t o = 0; o < static_cast<size_t>(w.shape[0]); o++) std::memcpy(out.data() + o * padded, w.bytes->data() + o * per_output, per_output);
  return std::make_shared<const std::string>(std::move(out));
}

ValueId padded_copy(Graph& graph, ValueId id) {
  Value value = graph.value(id);
  if (value.constant) value.bytes = pad_weights(value);
  value.name = cat(value.name, ".padded");
  value.shape = padded(std::move(value.shape));
  return graph.add_value(std::move(value));
}

Node pad_node(const Graph& graph, ValueId from, ValueId to) {
  Node node;
  node.op = "Pad";
  node.inputs = {from};
  node.outputs = {to};
  const size_t rank = graph.value(from).shape.size();
  std::vector<int64_t> pads(2 * rank, 0);
  pads[rank + 1] = graph.value(to).shape[1] - graph.value(from).shape[1];
  node.attributes["pads"] = pads;
  node.at_boundary = true;
  return node;
}

}  // namespace

void round_channels(Graph& graph) {
  const std::vector<bool> is_input = marks_of(graph, graph.inputs);
  std::map<ValueId, ValueId> padded_inputs;
  std::vector<Node> added;
  for (Node& node : graph.nodes) {
    if (!wants_rounding(graph, node, is_input)) continue;
    const ValueId x = node.inputs[0];
    const Shape& y = graph.value(node.outputs[0]).shape;
    const int64_t taps = ir::element_count(graph.value(node.inputs[1]).shape) / std::max<int64_t>(graph.value(node.inputs[1]).shape[0], 1);
    const int64_t channels = graph.value(x).shape[1];
    node.padding_flops = 2.0 * static_cast<double>(ir::element_count(y)) * static_cast<double>(taps) *
                         static_cast<double>(rounded(channels) - channels) / static_cast<double>(channels);
    node.inputs[1] = padded_copy(graph, node.inputs[1]);
    if (!padded_inputs.count(x)) {
      padded_inputs[x] = padded_copy(graph, x);
      added.push_back(pad_node(graph, x, padded_inputs[x]));
    }
    node.inputs[0] = padded_inputs[x];
  }
  graph.nodes.insert(graph.nodes.begin(), added.begin(), added.end());
}

}  // namespace hone::graph
