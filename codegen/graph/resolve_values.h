// What is known of single values while a graph grows: what control flow hangs on must be known before the rest is there.
#pragma once
#include <vector>

#include "base/cancel.h"
#include "codegen/graph/graph.h"
#include "codegen/graph/limits.h"

namespace hone::graph {

class ValueResolver {
 public:
  // Nodes are added to `graph` behind those that are there. Both outlive the resolver.
  ValueResolver(Graph& graph, const CancelToken* cancel) : graph_(graph), cancel_(cancel) {}

  // Afterwards the value has its type and shape, and its contents if these follow from constants and shapes: fold_constants of the nodes behind
  // it, each of which is visited once. All values together have the work of one model. Fails: as fold_constants.
  Status resolve(ValueId wanted);

 private:
  std::vector<int> nodes_behind(ValueId wanted);

  Graph& graph_;
  const CancelToken* cancel_;
  double work_left_ = static_cast<double>(kFoldModelWorkMax);
  std::vector<int> producers_;  // of the nodes that were there at the last call
  size_t nodes_seen_ = 0;
};

// Nodes whose results are all constants go, unless the graph hands one out.
void drop_resolved_nodes(Graph& graph);

}  // namespace hone::graph
