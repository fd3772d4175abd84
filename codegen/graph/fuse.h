// Which nodes are computed together: a group becomes one task.
#pragma once
#include "codegen/graph/graph.h"

namespace hone::graph {

struct Group {
  std::vector<int> nodes;  // indices into graph.nodes, in order; the first reduction, if any, gives the group its shape
};

// Buffers that one kernel may bind: the default limit of WebGPU's storage buffers per stage.
inline constexpr int kBindingsMax = 8;

std::vector<Group> fuse(const Graph& graph);

}  // namespace hone::graph
