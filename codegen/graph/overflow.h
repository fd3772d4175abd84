// Whole numbers of 64 bits, which devices compute in 32. What is known of a model's values proves for most nodes that none of theirs leaves 32 bits. Each other node has a node
// hone.Overflow beside it, which tells whether one does (te/overflow.h), and the model one output more, the last: which of them is the first, if any. Its place is one of
// Graph::hidden_outputs, and its numbers are places in Graph::watched.
#pragma once
#include "base/cancel.h"
#include "codegen/graph/graph.h"

namespace hone::graph {

// Needs: shapes known, constants folded. Behind it no pass changes a node that hone.Overflow stands beside. Linear. Fails: limit_exceeded for a constant beyond 32 bits that a
// node reads; as emit_op.
Status watch_overflow(Graph& graph, const CancelToken* cancel = nullptr);

// From all outputs of a run, row-major, the model's own, as long as the others say (lengths.h). Fails: limit_exceeded, with the value that has left 32 bits.
Result<std::vector<ConstantTensor>> own_outputs(const Graph& graph, std::vector<ConstantTensor> outputs);

// How a run says so: "the value 'x' …".
std::string overflow_text(const std::string& value);

}  // namespace hone::graph
