// From a graph as a model has it to one that is ready for fusion. Each pass goes through one door: left out, cancel, dump, verify.
#pragma once
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel.h"
#include "codegen/graph/graph.h"

namespace hone::graph {

// Names of passes that are left out.
using PassNames = std::set<std::string, std::less<>>;

struct GraphPassOptions {
  const CancelToken* cancel = nullptr;  // read before each pass, and between nodes by those that may take long; null: nobody cancels
  std::function<void(std::string_view pass, const std::string& text)> dump;  // after each pass, with print_graph's text; only when set
  bool verify = false;  // verify_graph after each pass (tests); a graph that fails is a bug of the pass
  PassNames without;    // of optional_passes
};

// The passes that only make a model faster: without one of them its results are the same, but for rounding. In the order in which they run.
std::vector<std::string_view> optional_passes();
// Fails: invalid_argument for a name that is none of these, with all of them.
Status check_optional_passes(const PassNames& names);

// Shapes → constants → clean-up → what pieces stand for → channels, as every model goes through them. Fails: bad_model, unsupported, limit_exceeded, as
// fold_constants; cancelled; as check_optional_passes.
Status prepare_graph(Graph& graph, const GraphPassOptions& options = {});

}  // namespace hone::graph
