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

// Passes from here on: shapes known, constants folded, no dead nodes. They leave dead nodes behind.

// What hands an element of its input on, as its definition says once its constants are read (Identity, a Cast to the own type, a Pad by nothing, x¹, a Where of one
// constant condition), is left out, and so are x · 1, x / 1, x + 0 and x − 0 where they change no bit, a second Neg or Not, and views that show the shape
// that they read. A view of a view shows what that one shows, and x / 2ⁿ is written x · 2⁻ⁿ. Results that the graph hands out keep their node. Linear.
void simplify_algebra(Graph& graph);

// (x · a)(y · b) = (x · y) · ab, of numbers a and b and of matrices that are computed, also where views or Transposes stand between: a product scales its result for
// nothing, where its operands take a kernel each. Where ab is 1 / √k of k terms but for rounding, it is that. Linear.
void scale_products(Graph& graph);

// A Transpose of a Transpose is one, or none; one that moves no element is a Reshape. Transposes move behind the elementwise nodes that read them where more of
// them vanish than are left. Linear: a region of such nodes is looked at kTransposedNodesMax nodes far.
void eliminate_transposes(Graph& graph);

// d = x − ReduceMean(x), d / √(ReduceMean(d²) + ε), over the same axes and read by nothing else, in any of its spellings, becomes one
// MeanVarianceNormalization with the attribute `epsilon`, or with the scale (and bias) of its last dimensions behind it one LayerNormalization;
// x / √(ReduceMean(x²) + ε) · scale becomes one RMSNormalization.
void recognise_standardization(Graph& graph);

// x · ½ · (1 + erf(x / √2)), and the same with tanh(√(2/π) · (x + 0.044715 · x³)), in any order of its factors, become one Gelu.
void recognise_gelu(Graph& graph);

// An Attention of as many heads of keys as of queries, that sees all keys (no past, lengths, causality, window, cap or mask but of finite numbers) and hands out nothing
// else, becomes softmax(Q · scale · Kᵀ + mask) · V, as exporters write it: two products and a Softmax are three launches and tasks of their own, where one task
// for the whole takes four, reads the scores three times, and has the product of the parts' spaces to search.
void split_attention(Graph& graph);

// A graph input whose channels feed an ungrouped convolution with constant weights, directly or through a quantisation of its own, and are no
// multiple of 4 is padded to one with channels of zeros, by a node that runs on upload (at_boundary); the weights get zero input channels.
// Only where that adds at most a third, as for the 3 channels of an image. Results and outputs stay as they are.
void round_channels(Graph& graph);

// A scatter of many updates into many elements puts the updates in the order of the rows that they come to, and each row looks for its last one: a sort of the updates and a search by each row
// instead of a look of all elements at all updates. What they join to comes from sums over equal rows. Linear.
void order_updates(Graph& graph);
void order_updates(Graph& graph, int64_t comparisons_max);

// A TopK of few out of many elements (more than 1,024, and 16 times as many as are chosen) chooses among the best of segments, and of those again as long as they are many: n · 256 comparisons instead of n².
// One that puts all in order, and more than are compared with each other, puts segments in order and merges them. Linear.
void narrow_choices(Graph& graph);
// With so many comparisons in the place of kComparisonsMax; the same for the next.
void narrow_choices(Graph& graph, int64_t comparisons_max);

// What a loop's next trip has in the place of one state and is another state, or shows it, is copied first: a loop's end writes its states one after the other (loops.h).
// Linear but for views of views.
void separate_states(Graph& graph);

}  // namespace hone::graph
