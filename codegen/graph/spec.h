// Op SPECs: one node of ONNX in one word.
#pragma once
#include <string_view>

#include "codegen/graph/graph.h"

namespace hone::graph {

// "matmul:…" and "conv:…" of import.h as a graph of one node; weights are constants without contents. Fails: invalid_argument.
Result<Graph> graph_from_spec(std::string_view spec);

}  // namespace hone::graph
