#include "codegen/graph/model_steps.h"

#include <algorithm>
#include <unordered_map>

#include "codegen/graph/choose_layouts.h"

namespace hone::graph {
namespace {

// Steps of one task share one program: a model of many equal layers would hold as many arenas.
void share_program(te::Task& task, std::unordered_map<Hash, size_t, HashHasher>& places,
                   const std::vector<Step>& steps) {
  const auto [place, is_new] = places.try_emplace(task.id, steps.size());
  if (!is_new) task.program = steps[place->second].work.task.program;
}

}  // namespace

Result<ModelSteps> steps_of(const Graph& graph, const CancelToken* cancel) {
  ModelSteps out;
  const Layouts layouts = choose_layouts(graph);
  for (size_t i = 0; i < graph.values.size(); i++) {
    out.home.push_back(static_cast<ValueId>(i));
    out.layout.push_back(layout_of(graph, static_cast<ValueId>(i), layouts));
  }
  const GroupTasks tasks(graph, layouts);
  HONE_ASSIGN(groups, fuse(graph, layouts, cancel));
  std::unordered_map<Hash, size_t, HashHasher> places;
  for (const Group& group : groups) {
    HONE_TRY(check_cancel(cancel));
    const Node& first = graph.nodes[static_cast<size_t>(group.nodes[0])];
    if (group.free && !first.at_boundary) {
      // Groups come in the order in which they run, so the home of what a view shows is known.
      out.home[static_cast<size_t>(first.outputs[0])] = out.home[static_cast<size_t>(first.inputs[0])];
      out.views.push_back(group.nodes[0]);
      continue;
    }
    HONE_ASSIGN(made, tasks.of(group));
    share_program(made.task, places, out.steps);
    out.steps.push_back({std::move(made), group.nodes, first.at_boundary});
  }
  std::stable_partition(out.steps.begin(), out.steps.end(), [](const Step& step) { return step.on_upload; });
  return out;
}

}  // namespace hone::graph
