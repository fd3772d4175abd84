// What an operator's definition says of the places that it reads: passes ask it, not a list of names.
#pragma once
#include <optional>

#include "codegen/graph/graph.h"

namespace hone::graph {

// The input that the node's only result is, element by element, in shape and type. Constants of one element count as what they are. nullopt: it computes or moves
// something, or has more results. Needs: shapes known.
std::optional<ValueId> handed_on(const Graph& graph, const Node& node);

// Each element of the node's only result follows from those at its own place in the inputs, which broadcast from the last dimension. Needs: shapes known.
bool is_pointwise(const Graph& graph, const Node& node);

}  // namespace hone::graph
