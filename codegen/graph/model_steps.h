// A model as the steps that compute it, in order: what extract_tasks counts, each in its place.
#pragma once
#include <vector>

#include "codegen/graph/extract_tasks.h"
#include "codegen/graph/loops.h"

namespace hone::graph {

struct Step {
  GroupTask work;
  std::vector<int> nodes;  // of the graph, that it computes
  bool on_upload = false;  // converts a graph input for hone's own use; the host does it before the input is sent
};

struct ModelSteps {
  std::vector<Step> steps;  // those on upload first
  std::vector<LoopRange> loops;  // of the steps
  std::vector<ValueId>
      home;  // per value: the one whose memory it shows under another shape or layout, or after a loop; itself for all others
  std::vector<ir::Layout> layout;  // per value, as an activation
  std::vector<int> views;          // nodes that show what others compute under another shape or layout: nothing is done for them
};

// Needs: prepare_graph. Fails: as extract_tasks.
Result<ModelSteps> steps_of(const Graph& graph, const CancelToken* cancel = nullptr);

// The last step that runs while a value that was written in the step `written` and is read in the step `read` must last: the last one of the outermost loop that holds
// the reading and not the writing.
size_t lasts_until(const ModelSteps& steps, size_t written, size_t read);

}  // namespace hone::graph
