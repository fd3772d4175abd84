// How large the expression becomes that fusion makes of a group's nodes.
#pragma once
#include <vector>

#include "codegen/graph/graph.h"

namespace hone::graph {

// The expression of a node's first output, when everything is inlined: `own` nodes, and each input's expression `reads` times, written out as
// often as it is read. A reduction's result is not inlined: it counts as one load.
struct ExpressionSize {
  double own = 1;
  std::vector<double> reads;  // per input of the node
};
// Needs: infer_shapes.
ExpressionSize expression_size(const Graph& graph, const Node& node);

}  // namespace hone::graph
