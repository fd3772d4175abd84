#include "codegen/graph/model_steps.h"

#include <algorithm>

#include "codegen/graph/choose_layouts.h"

namespace hone::graph {

Result<ModelSteps> steps_of(const Graph& graph) {
  ModelSteps out;
  const std::vector<bool> is_channels_last = choose_layouts(graph);
  for (size_t i = 0; i < graph.values.size(); i++) {
    out.home.push_back(static_cast<ValueId>(i));
    out.layout.push_back(layout_of(graph, static_cast<ValueId>(i), is_channels_last));
  }
  for (const Group& group : fuse(graph, is_channels_last)) {
    const Node& first = graph.nodes[static_cast<size_t>(group.nodes[0])];
    if (group.free && !first.at_boundary) {
      // Groups come in the order in which they run, so the home of what a view shows is known.
      out.home[static_cast<size_t>(first.outputs[0])] = out.home[static_cast<size_t>(first.inputs[0])];
      continue;
    }
    HONE_ASSIGN(made, task_of_group(graph, group, is_channels_last));
    out.steps.push_back({std::move(made), first.at_boundary});
  }
  std::stable_partition(out.steps.begin(), out.steps.end(), [](const Step& step) { return step.on_upload; });
  return out;
}

}  // namespace hone::graph
