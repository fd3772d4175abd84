#include "codegen/graph/passes.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

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

bool wants_rounding(const Graph& graph, const Node& node) {
  if (node.op != "Conv" || node.inputs.size() < 2 || !graph.value(node.inputs[1]).constant) return false;
  const auto group = node.attributes.find("group");
  if (group != node.attributes.end() && std::get_if<int64_t>(&group->second) && std::get<int64_t>(group->second) != 1) return false;
  const ValueId x = node.inputs[0];
  const int64_t channels = graph.value(x).shape[1];
  for (ValueId id : {x, node.inputs[1]})
    if (!check_shape(padded(graph.value(id).shape), "").ok()) return false;
  return channels % kLanes != 0 && static_cast<double>(rounded(channels)) <= kGrowthMax * static_cast<double>(channels);
}

// Makes of zeros finite numbers, the same for all channels: the weights' zeros make zeros of them.
bool keeps_zeros_finite(const Graph& graph, const Node& node) {
  if ((node.op != "QuantizeLinear" && node.op != "DequantizeLinear") || node.attributes.count("block_size")) return false;
  return std::all_of(node.inputs.begin() + 1, node.inputs.end(), [&](ValueId id) {
    return id == kNoValue || (graph.value(id).constant && ir::element_count(graph.value(id).shape) == 1);
  });
}

// From a graph input to a convolution.
struct Feed {
  ValueId input = kNoValue;
  std::vector<int> between;  // nodes, whose results nobody else reads
};

class Rounding {
 public:
  explicit Rounding(Graph& graph)
      : graph_(graph), producers_(producers_of(graph)), consumers_(consumers_of(graph)),
        is_input_(marks_of(graph, graph.inputs)), is_output_(marks_of(graph, graph.outputs)) {}
  void run();

 private:
  std::optional<Feed> feed_of(ValueId x) const;
  void pad(Node& conv, const Feed& feed);

  Graph& graph_;
  const std::vector<int> producers_;
  const std::vector<std::vector<int>> consumers_;
  const std::vector<bool> is_input_, is_output_;
  std::map<ValueId, ValueId> padded_inputs_;
  std::vector<Node> added_;
};

// [o, c, taps…] → [o, rounded c, taps…], the new channels zero.
SharedBytes pad_weights(const Value& w) {
  if (!w.bytes || w.bytes->empty()) return w.bytes;
  const size_t per_output = w.bytes->size() / static_cast<size_t>(w.shape[0]);
  const size_t padded = per_output / static_cast<size_t>(w.shape[1]) * static_cast<size_t>(rounded(w.shape[1]));
  std::string out(padded * static_cast<size_t>(w.shape[0]), '\0');
  for (size_t o = 0; o < static_cast<size_t>(w.shape[0]); o++) std::memcpy(out.data() + o * padded, w.bytes->data() + o * per_output, per_output);
  return shared_bytes(std::move(out));
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

std::optional<Feed> Rounding::feed_of(ValueId x) const {
  Feed feed{x, {}};
  while (static_cast<size_t>(feed.input) < is_input_.size() && !is_input_[static_cast<size_t>(feed.input)]) {
    const auto made = static_cast<size_t>(feed.input);
    const int maker = producers_[made];
    if (maker < 0 || is_output_[made] || consumers_[made].size() != 1) return std::nullopt;
    const Node& node = graph_.nodes[static_cast<size_t>(maker)];
    if (!keeps_zeros_finite(graph_, node)) return std::nullopt;
    feed.between.push_back(maker);
    feed.input = node.inputs[0];
  }
  return feed;
}

void Rounding::pad(Node& conv, const Feed& feed) {
  const Shape& y = graph_.value(conv.outputs[0]).shape;
  const Shape& w = graph_.value(conv.inputs[1]).shape;
  const int64_t taps = ir::element_count(w) / std::max<int64_t>(w[0], 1);
  const int64_t channels = graph_.value(feed.input).shape[1];
  conv.padding_flops = 2.0 * static_cast<double>(ir::element_count(y)) * static_cast<double>(taps) *
                       static_cast<double>(rounded(channels) - channels) / static_cast<double>(channels);
  conv.inputs[1] = padded_copy(graph_, conv.inputs[1]);
  ValueId& input = padded_inputs_.try_emplace(feed.input, kNoValue).first->second;
  if (input == kNoValue) {
    input = padded_copy(graph_, feed.input);
    added_.push_back(pad_node(graph_, feed.input, input));
  }
  for (int i : feed.between) {
    Value& between = graph_.value(graph_.nodes[static_cast<size_t>(i)].outputs[0]);
    between.shape = padded(std::move(between.shape));
  }
  (feed.between.empty() ? conv : graph_.nodes[static_cast<size_t>(feed.between.back())]).inputs[0] = input;
}

void Rounding::run() {
  for (Node& node : graph_.nodes) {
    if (!wants_rounding(graph_, node)) continue;
    if (const auto feed = feed_of(node.inputs[0])) pad(node, *feed);
  }
  graph_.nodes.insert(graph_.nodes.begin(), added_.begin(), added_.end());
}

}  // namespace

void round_channels(Graph& graph) { Rounding(graph).run(); }

}  // namespace hone::graph
