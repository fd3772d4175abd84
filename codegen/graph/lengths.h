// Dimensions whose size only a run tells. A value has the most that it may be in its shape, and in Value::lengths, by dimension, the value ([1], whole) that says how many
// elements count; those behind are there and mean nothing. Operators that keep such a dimension as it is hand its length on; what would join, move or look at elements
// behind the length is refused.
#pragma once
#include "base/result.h"
#include "codegen/graph/graph.h"
#include "codegen/te/program.h"

namespace hone::graph {

// An operator's definition beside what it is made for.
struct Defined {
  const te::Program& program;
  std::vector<ValueId> read;       // by input of the program
  std::vector<te::Tensor> made;    // by output of the node; null, or none at the end, for what it does not compute
};
// Sets the lengths of the node's outputs from those of its inputs. Linear in the program. Fails: unsupported, without the node.
Status infer_lengths(Graph& graph, const Node& node, const Defined& defined);

// The lengths of the graph's outputs become outputs behind them (Graph::hidden_outputs).
void hand_out_lengths(Graph& graph);

// From all outputs of a run, row-major, the model's own, as long as the others say: a length out of range counts as the nearest one in it.
std::vector<ConstantTensor> cut_to_lengths(const Graph& graph, std::vector<ConstantTensor> outputs);

}  // namespace hone::graph
