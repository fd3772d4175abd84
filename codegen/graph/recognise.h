// Operators that exporters write out in pieces, put together again: one task instead of several.
#pragma once
#include "codegen/graph/graph.h"

namespace hone::graph {

// d = x − ReduceMean(x), d / √(ReduceMean(d²) + ε), over the same axes and read by nothing else, becomes one MeanVarianceNormalization
// with the attribute `epsilon`; d² is a Mul or a Pow. Scale and bias stay elementwise nodes, which fusion joins.
// Needs: shapes known, constants folded.
void recognise_standardization(Graph& graph);

}  // namespace hone::graph
