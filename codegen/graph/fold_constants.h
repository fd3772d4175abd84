// Everything that is known before the model runs.
#pragma once
#include "codegen/graph/graph.h"

namespace hone::graph {

// infer_shapes, and on the way: nodes whose inputs are all constants are computed, shapes become constants, and nodes that only hand
// their input on (identity, inactive dropout) vanish. Nodes nothing depends on are dropped. Fails: as infer_shapes.
Status fold_constants(Graph& graph);
// A batch normalisation behind a convolution with constant weights, its only reader, becomes part of weights and bias.
void fold_batch_normalization(Graph& graph);
// Drops nodes whose results nobody needs.
void drop_dead_nodes(Graph& graph);

}  // namespace hone::graph
