#include <algorithm>

#include "base/cat.h"
#include "codegen/graph/fuse.h"
#include "codegen/graph/passes.h"

namespace hone::graph {
namespace {

constexpr size_t kInputsMax = kBindingsMax - 1;  // the result is bound, too
constexpr size_t kFirstScale = 1, kSecondScale = 4, kResultScale = 6, kInputsMin = 8;

// A constant of one element is a number in the kernel.
bool is_bound(const Graph& graph, ValueId id) {
  if (id == kNoValue) return false;
  const Value& v = graph.value(id);
  return !v.constant || !v.shape_known || ir::element_count(v.shape) != 1;
}

bool reads_too_many(const Graph& graph, const Node& node) {
  if ((node.op != "QLinearConv" && node.op != "QLinearMatMul") || node.inputs.size() < kInputsMin) return false;
  for (size_t scale : {kFirstScale, kSecondScale, kResultScale})
    if (node.inputs[scale] == kNoValue) return false;
  const auto bound = std::count_if(node.inputs.begin(), node.inputs.end(), [&](ValueId id) { return is_bound(graph, id); });
  return static_cast<size_t>(bound) > kInputsMax;
}

ValueId add_one(Graph& graph) {
  const ConstantTensor one = from_doubles(DType::kF32, {}, {1});
  Value value;
  value.name = cat("one", graph.values.size());
  value.shape_known = value.constant = true;
  value.bytes = one.bytes;
  return graph.add_value(std::move(value));
}

ValueId add_node(Graph& graph, const Node& reader, const char* op, ValueId a, ValueId b, std::vector<Node>& out) {
  Value value;
  value.name = cat(graph.value(reader.outputs[0]).name, ".scale", graph.values.size());
  Node node{reader.name, op, {a, b}, {graph.add_value(std::move(value))}};
  out.push_back(node);
  return node.outputs[0];
}

}  // namespace

void join_scales(Graph& graph) {
  std::vector<Node> out;
  for (Node& node : graph.nodes) {
    if (reads_too_many(graph, node)) {
      ValueId scale = add_node(graph, node, "Div", node.inputs[kSecondScale], node.inputs[kResultScale], out);
      node.inputs[kResultScale] = add_one(graph);
      if (node.op == "QLinearConv") {  // its image has one scale
        scale = add_node(graph, node, "Mul", scale, node.inputs[kFirstScale], out);
        node.inputs[kFirstScale] = node.inputs[kResultScale];
      }
      node.inputs[kSecondScale] = scale;
    }
    out.push_back(std::move(node));
  }
  graph.nodes = std::move(out);
}

}  // namespace hone::graph
