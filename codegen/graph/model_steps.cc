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
  const Loops loops = loops_of(graph);
  for (const Loop& loop : loops.loops)
    for (size_t i = 0; i < loop.states.size(); i++)
      if (loop.finals[i] != kNoValue) out.home[static_cast<size_t>(loop.finals[i])] = loop.states[i];
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
    for (GroupTask& work : made) {
      share_program(work.task, places, out.steps);
      out.steps.push_back({std::move(work), group.nodes, first.at_boundary});
    }
  }
  std::stable_partition(out.steps.begin(), out.steps.end(), [](const Step& step) { return step.on_upload; });
  std::vector<int> nodes;
  for (const Step& step : out.steps) nodes.push_back(step.nodes[0]);
  out.loops = ranges_of(loops, nodes);
  return out;
}

size_t lasts_until(const ModelSteps& steps, size_t written, size_t read) {
  for (const LoopRange& loop : steps.loops)
    if (loop.first <= read && read < loop.last && (written < loop.first || written >= loop.last)) return loop.last - 1;
  return read;
}

}  // namespace hone::graph
