#include <algorithm>

#include "codegen/graph/limits.h"
#include "codegen/graph/op_table.h"
#include "codegen/graph/passes.h"

namespace hone::graph {

void drop_dead_nodes(Graph& graph) {
  std::vector<bool> needed = marks_of(graph, graph.outputs);
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

void drop_unread_outputs(Graph& graph) {
  std::vector<bool> read = marks_of(graph, graph.outputs);
  for (const Node& node : graph.nodes)
    for (ValueId id : node.inputs)
      if (id != kNoValue) read[static_cast<size_t>(id)] = true;
  for (Node& node : graph.nodes) {
    for (ValueId& id : node.outputs)
      if (id != kNoValue && !read[static_cast<size_t>(id)]) id = kNoValue;
    // How many parts a Split makes follows from how many outputs it names.
    const OpEntry* entry = find_op(node.op);
    if (entry && entry->arity.outputs_max == kArityMax) continue;
    while (!node.outputs.empty() && node.outputs.back() == kNoValue) node.outputs.pop_back();
  }
}

}  // namespace hone::graph
