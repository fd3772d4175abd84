// The passes over graphs, in the order in which prepare_graph.cc runs them.
#pragma once
#include "base/cancel.h"
#include "codegen/graph/graph.h"
#include "codegen/graph/limits.h"

namespace hone::graph {

// Drops nodes whose results nobody needs.
void drop_dead_nodes(Graph& graph);

// Outputs that no node reads and the graph does not hand out are left out, so that what hone does not compute (the mask of a Dropout)
// refuses a model only where it matters. Needs: no dead nodes.
void drop_unread_outputs(Graph& graph);

// Sum, Max, Min and Concat of more than kBindingsMax − 1 inputs become trees of the same operator, whose nodes stand where it stood; the
// order of inputs stays. Linear. Needs nothing of shapes.
void split_variadic(Graph& graph);

// Of a quantised product that reads more than kBindingsMax − 1 tensors, since its scales are no constants of the model, the scales become one by nodes
// of their own. Linear. Needs nothing of shapes.
void join_scales(Graph& graph);

// infer_shapes, and on the way: nodes whose inputs are all constants are computed (within the limits of limits.h), shapes become constants,
// and nodes that only hand their input on (identity, inactive dropout) vanish. Nodes nothing depends on are dropped. Fails: as infer_shapes;
// cancelled.
Status fold_constants(Graph& graph, const CancelToken* cancel = nullptr);
// With this much work (kFoldModelWorkMax), of which it leaves the rest.
Status fold_constants(Graph& graph, const CancelToken* cancel, double& work_left);

// A batch normalisation behind a convolution with constant weights, its only reader, becomes part of weights and bias.
void fold_batch_normalization(Graph& graph);

// d = x − ReduceMean(x), d / √(ReduceMean(d²) + ε), over the same axes and read by nothing else, becomes one MeanVarianceNormalization
// with the attribute `epsilon`; d² is a Mul or a Pow. Scale and bias stay elementwise nodes, which fusion joins.
// Needs: shapes known, constants folded.
void recognise_standardization(Graph& graph);

// A graph input whose channels feed an ungrouped convolution with constant weights, directly or through a quantisation of its own, and are no
// multiple of 4 is padded to one with channels of zeros, by a node that runs on upload (at_boundary); the weights get zero input channels.
// Only where that adds at most a third, as for the 3 channels of an image. Results and outputs stay as they are.
void round_channels(Graph& graph);

}  // namespace hone::graph
