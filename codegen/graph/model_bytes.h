// What a model's values take, counted before any of it is allocated.
#pragma once
#include <cstdint>

#include "codegen/graph/graph.h"

namespace hone::graph {

// In the model's own types; each saturates at INT64_MAX.
struct ModelBytes {
  int64_t inputs = 0;     // of graph.inputs
  int64_t constants = 0;  // of which the contents are known
  int64_t largest = 0;    // of one value
  int64_t values = 0;     // of all values that nodes read or write, inputs and constants included
};
// Values whose shape is not known count as nothing. Needs: prepare_graph, or infer_shapes.
ModelBytes count_bytes(const Graph& graph);

}  // namespace hone::graph
