#include "codegen/graph/passes.h"

#include <algorithm>

#include "base/cat.h"
#include "codegen/graph/fuse.h"

namespace hone::graph {
namespace {

constexpr size_t kInputsMax = kBindingsMax - 1;  // the result is bound, too

bool wants_splitting(const Node& node) {
  for (std::string_view op : {"Sum", "Max", "Min", "Concat"})
    if (node.op == op)
      return node.inputs.size() > kInputsMax && node.outputs.size() == 1 &&
             std::find(node.inputs.begin(), node.inputs.end(), kNoValue) == node.inputs.end();
  return false;
}

// The inputs joined by kInputsMax, by nodes like `node`, which has none itself: one level of the tree.
std::vector<ValueId> join_inputs(Graph& graph, const Node& node, const std::vector<ValueId>& inputs,
                                 std::vector<Node>& out) {
  std::vector<ValueId> joined;
  for (size_t i = 0; i < inputs.size(); i += kInputsMax) {
    const size_t end = std::min(i + kInputsMax, inputs.size());
    if (end - i == 1) {
      joined.push_back(inputs[i]);
      continue;
    }
    Node part = node;
    part.inputs.assign(inputs.begin() + static_cast<std::ptrdiff_t>(i),
                       inputs.begin() + static_cast<std::ptrdiff_t>(end));
    Value value;
    value.name = cat(graph.value(node.outputs[0]).name, ".part", graph.values.size());
    part.outputs = {graph.add_value(std::move(value))};
    joined.push_back(part.outputs[0]);
    out.push_back(std::move(part));
  }
  return joined;
}

}  // namespace

void split_variadic(Graph& graph) {
  std::vector<Node> out;
  for (Node& node : graph.nodes) {
    if (wants_splitting(node)) {
      std::vector<ValueId> inputs;
      std::swap(inputs, node.inputs);
      while (inputs.size() > kInputsMax) inputs = join_inputs(graph, node, inputs, out);
      node.inputs = std::move(inputs);
    }
    out.push_back(std::move(node));
  }
  graph.nodes = std::move(out);
}

}  // namespace hone::graph
