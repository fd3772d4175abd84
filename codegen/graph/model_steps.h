// A model as the steps that compute it, in order: what extract_tasks counts, each in its place.
#pragma once
#include <vector>

#include "codegen/graph/extract_tasks.h"

namespace hone::graph {

struct Step {
  GroupTask work;
  bool on_upload = false;  // converts a graph input for hone's own use; the host does it before the input is sent
};

struct ModelSteps {
  std::vector<Step> steps;  // those on upload first
  std::vector<ValueId>
      home;  // per value: the one whose memory it shows under another shape or layout; itself for all but views
  std::vector<ir::Layout> layout;  // per value, as an activation
};

// Needs: prepare_graph. Fails: as extract_tasks.
Result<ModelSteps> steps_of(const Graph& graph, const CancelToken* cancel = nullptr);

}  // namespace hone::graph
