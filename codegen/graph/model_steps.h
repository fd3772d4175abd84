// A model as the steps that compute it, in order: what extract_tasks counts, each in its place.
#pragma once
#include <vector>

#include "codegen/graph/extract_tasks.h"

namespace hone::graph {

struct Step {
  GroupTask work;
  std::vector<int> nodes;  // of the graph, that it computes
  bool on_upload = false;  // converts a graph input for hone's own use; the host does it before the input is sent
};

struct ModelSteps {
  std::vector<Step> steps;  // those on upload first
  std::vector<ValueId>
      home;  // per value: the one whose memory it shows under another shape or layout; itself for all but views
  std::vector<ir::Layout> layout;  // per value, as an activation
  std::vector<int> views;          // nodes that show what others compute under another shape or layout: nothing is done for them
};

// Needs: prepare_graph. Fails: as extract_tasks.
Result<ModelSteps> steps_of(const Graph& graph, const CancelToken* cancel = nullptr);

}  // namespace hone::graph
