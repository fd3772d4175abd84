// A graph as bytes, for another process of the same program on the same machine: numbers as they lie in memory, lists and texts behind their lengths. What
// constants hold is not among them: it stays in the model's file where it lies there, and is listed apart where it does not, so that weights travel without a copy.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/shared_bytes.h"
#include "codegen/graph/graph.h"

namespace hone::graph {

struct GraphBytes {
  std::string structure;
  std::vector<SharedBytes> contents;  // of the constants that lie elsewhere than in the file, each once
};
GraphBytes graph_to_bytes(const Graph& graph, std::string_view file);

// The reader takes the bytes for anybody's: whatever they are, it answers with a graph of which verify_graph holds (GraphStage::kShaped), whose shapes are checked
// (check_shape), whose constants are as long as theirs and whose nodes compute what their operators' definitions say (infer_node), or with an error. Its constants are parts of both arguments.
// file: the writer's. contents: those of GraphBytes, one behind the other. Fails: parse_error with what is wrong.
Result<Graph> graph_from_bytes(std::string_view structure, const SharedBytes& file, const SharedBytes& contents);

}  // namespace hone::graph
