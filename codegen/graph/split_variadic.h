// Nodes of more inputs than one kernel may bind, as trees of nodes that it may.
#pragma once
#include "codegen/graph/graph.h"

namespace hone::graph {

// Sum, Max, Min and Concat of more than kBindingsMax − 1 inputs become trees of the same operator, whose nodes stand where it stood; the
// order of inputs stays. Linear. Needs nothing of shapes.
void split_variadic(Graph& graph);

}  // namespace hone::graph
