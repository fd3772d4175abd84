// Recurrent operators as the nodes that they stand for: one product for all places of a sequence, and one node for each place, all of them the same task.
#pragma once
#include <vector>

#include "codegen/graph/graph.h"

namespace hone::graph {

bool is_recurrent(std::string_view op);  // RNN, GRU, LSTM, LinearAttention

// How many places the node runs through, both directions together. Needs: the shapes of its inputs. Fails: bad_model.
Result<int64_t> recurrent_steps(const Graph& graph, const Node& node);

// Appends the nodes to `graph`, and returns a value for each of the node's outputs; kNoValue for one that is not wanted (kNoValue in the node). Needs: the shapes of its
// inputs. Fails: bad_model, unsupported.
Result<std::vector<ValueId>> expand_recurrent(Graph& graph, const Node& node);

}  // namespace hone::graph
