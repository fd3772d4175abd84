#include "base/cat.h"
#include "codegen/graph/loops.h"
#include "codegen/graph/op_table.h"
#include "codegen/graph/passes.h"

namespace hone::graph {
namespace {

// Whether the value lies in the memory of a loop's state, or may.
bool shows_state(const Graph& graph, const std::vector<int>& producers, ValueId id) {
  while (true) {
    const int producer = producers[static_cast<size_t>(id)];
    const OpEntry* entry = producer < 0 ? nullptr : find_op(graph.nodes[static_cast<size_t>(producer)].op);
    if (!entry) return false;
    if (entry->kind == OpKind::kState) return graph.nodes[static_cast<size_t>(producer)].op == "hone.LoopState";
    if (entry->kind != OpKind::kView && graph.nodes[static_cast<size_t>(producer)].op != "Transpose") return false;
    id = graph.nodes[static_cast<size_t>(producer)].inputs[0];
  }
}

ValueId add_copy(Graph& graph, ValueId from, std::vector<Node>& nodes) {
  Value value = graph.value(from);
  value.name += cat(".copy", graph.values.size());
  Node copy;
  copy.op = "hone.Copy";
  copy.inputs = {from};
  copy.outputs = {graph.add_value(std::move(value))};
  nodes.push_back(std::move(copy));
  return nodes.back().outputs[0];
}

}  // namespace

void separate_states(Graph& graph) {
  const std::vector<int> producers = producers_of(graph);
  std::vector<std::vector<size_t>> copied;  // by node: the inputs
  for (const Node& node : graph.nodes) {
    copied.emplace_back();
    for (size_t i = 1; is_loop_end(node) && i < node.inputs.size(); i += 2)
      if (node.inputs[i] != node.inputs[i - 1] && shows_state(graph, producers, node.inputs[i])) copied.back().push_back(i);
  }
  std::vector<Node> nodes;
  for (size_t n = 0; n < copied.size(); n++) {
    for (size_t i : copied[n]) graph.nodes[n].inputs[i] = add_copy(graph, graph.nodes[n].inputs[i], nodes);
    nodes.push_back(std::move(graph.nodes[n]));
  }
  graph.nodes = std::move(nodes);
}

}  // namespace hone::graph
