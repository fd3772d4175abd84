// Which nodes are computed together: a group becomes one task.
#pragma once
#include "base/cancel.h"
#include "codegen/graph/choose_layouts.h"
#include "codegen/graph/graph.h"

namespace hone::graph {

struct Group {
  std::vector<int> nodes;  // indices into graph.nodes, in order
  bool free =
      false;  // computes nothing: a view whose elements lie as its input's do, or a conversion of a graph input on upload
};

// Buffers that one kernel may bind: the default limit of WebGPU's storage buffers per stage.
inline constexpr size_t kBindingsMax = 8;

// Every node in exactly one group, in an order in which they can run. A group begins with any node; elementwise nodes join while the value
// so far has them as its only readers (several, where its branches meet again: x · sigmoid(x)), has the shape of their results, and the
// bindings stay within kBindingsMax and the nodes within kGroupNodesMax, and all run as often (loops.h): those of a loop stand together.
// layouts: choose_layouts(graph); it decides which views are free. Fails: cancelled.
Result<std::vector<Group>> fuse(const Graph& graph, const Layouts& layouts, const CancelToken* cancel = nullptr);

}  // namespace hone::graph
