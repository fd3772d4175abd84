// Activation layouts: a policy is a named function from a value of the model to its layout in memory; tasks are keyed by the result.
#pragma once
#include <map>
#include <set>
#include <vector>

#include "codegen/graph/graph.h"
#include "codegen/te/program.h"

namespace hone::graph {

// Policy "channels_last": tensors [n, c, spatial…] of rank 4 and 5 lie as [n, spatial…, c]; all others row-major. So do all where no window slides over any.
ir::Layout channels_last(const Shape& shape);
// The policy for the values of a graph.
struct Layouts {
  // Per value. Operands and results of products of matrices, and what is computed element by element from them, are not.
  std::vector<bool> channels_last;
  std::vector<bool> uploaded;  // per value: the graph's inputs
  // A Transpose or a Reshape whose result may lie as what it moves does moves nothing; or what it moves is computed as its result lies
  // (view_layouts.h). Those values that do not lie as their policy says for it, and the results of all such nodes.
  std::map<ValueId, ir::Layout> turned;
  std::set<ValueId> views;
};
Layouts choose_layouts(const Graph& graph);

// How the value lies, as the graph's medium wants it.
ir::Layout layout_of(const Graph& graph, ValueId id, const Layouts& layouts);

// How a constant is packed ahead for the computes that read it. Read by a reduction: its reduce axes in loop order, then the axis that is
// innermost in the reduction's output, in front of both whatever else indexes it: [r, s, c, o] for a convolution, [k, n] for a product.
// channels_inside: the output of the reduction is stored channels last, so that its axis 1 is innermost; else its last axis is.
ir::Layout constant_layout(const te::Program& program, te::Tensor constant, bool channels_inside);

// Row-major when the order, leaving out dimensions of extent 1, keeps the axes as they are.
ir::Layout layout_of_order(const Shape& shape, const std::vector<int>& order);

}  // namespace hone::graph
