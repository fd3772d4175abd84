// Everything that is known before the model runs.
#pragma once
#include "base/cancel.h"
#include "codegen/graph/graph.h"
#include "codegen/graph/limits.h"

namespace hone::graph {

// infer_shapes, and on the way: nodes whose inputs are all constants are computed (within the limits of limits.h), shapes become constants,
// and nodes that only hand their input on (identity, inactive dropout) vanish. Nodes nothing depends on are dropped. Fails: as infer_shapes;
// cancelled. work_max: as kFoldModelWorkMax.
Status fold_constants(Graph& graph, const CancelToken* cancel = nullptr, int64_t work_max = kFoldModelWorkMax);
// A batch normalisation behind a convolution with constant weights, its only reader, becomes part of weights and bias.
void fold_batch_normalization(Graph& graph);
// Drops nodes whose results nobody needs.
void drop_dead_nodes(Graph& graph);
// Outputs that no node reads and the graph does not hand out are left out, so that what hone does not compute (the mask of a Dropout)
// refuses a model only where it matters. Needs: no dead nodes.
void drop_unread_outputs(Graph& graph);

}  // namespace hone::graph
