// From a graph as a model has it to one that is ready for fusion. Each pass goes through one door: cancel, dump, verify.
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "base/cancel.h"
#include "codegen/graph/graph.h"

namespace hone::graph {

struct GraphPassOptions {
  const CancelToken* cancel = nullptr;  // read before each pass, and between nodes by those that may take long; null: nobody cancels
  std::function<void(std::string_view pass, const std::string& text)> dump;  // after each pass, with print_graph's text; only when set
  bool verify = false;  // verify_graph after each pass (tests); a graph that fails is a bug of the pass
};

// Shapes → constants → clean-up → channels, as every model goes through them. Fails: bad_model, unsupported, limit_exceeded, as
// fold_constants; cancelled.
Status prepare_graph(Graph& graph, const GraphPassOptions& options = {});

}  // namespace hone::graph
