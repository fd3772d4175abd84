// What holds of a graph after each pass of prepare_graph.
#pragma once
#include "codegen/graph/graph.h"

namespace hone::graph {

enum class GraphStage : uint8_t {
  kImported,  // ids are those of values, and no value is written twice
  kShaped     // after fold_constants: nodes stand in topological order, what they read and the graph hands out is defined and of known shape,
              // and constants have the bytes of theirs
};

// Fails: internal with the node.
Status verify_graph(const Graph& graph, GraphStage stage);

}  // namespace hone::graph
