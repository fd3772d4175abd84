// A whole model by the evaluator of tensor programs, group by group as fusion cut it: the oracle of tests. Slow.
#pragma once
#include <map>
#include <vector>

#include "codegen/graph/graph.h"

namespace hone::graph {

using ValueMap = std::map<ValueId, std::vector<double>>;

// inputs: for each of graph.inputs its elements in logical row-major order. Needs: prepare_graph. Returns those of graph.outputs, in order.
// Fails: as extract_tasks.
Result<std::vector<std::vector<double>>> evaluate_graph(const Graph& graph, const ValueMap& inputs);

}  // namespace hone::graph
