// Shapes and types of every value, from the operators' own definitions: a node's definition is built once and its results are read off.
#pragma once
#include "codegen/graph/graph.h"

namespace hone::graph {

// Fails: what the definitions say (bad_model, unsupported), with the node.
Status infer_shapes(Graph& graph);
// The same for one node, whose inputs are known.
Status infer_node(Graph& graph, const Node& node);

}  // namespace hone::graph
