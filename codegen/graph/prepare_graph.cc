#include "codegen/graph/prepare_graph.h"

#include "base/cat.h"
#include "codegen/graph/lengths.h"
#include "codegen/graph/passes.h"
#include "codegen/graph/verify_graph.h"

namespace hone::graph {
namespace {

class GraphPasses {
 public:
  GraphPasses(Graph& graph, const GraphPassOptions& options) : graph_(graph), options_(options) {}

  Status run_pass(std::string_view name, GraphStage stage, const std::function<Status()>& pass) {
    HONE_TRY(check_cancel(options_.cancel));
    HONE_TRY(pass());
    if (options_.dump) options_.dump(name, print_graph(graph_));
    if (!options_.verify) return ok_status();
    const Status verified = verify_graph(graph_, stage);
    CHECK(verified.ok(), cat("after pass ", name, ": ", verified.error().message, "\n", print_graph(graph_)));
    return ok_status();
  }

  Status run_pass(std::string_view name, GraphStage stage, void (*pass)(Graph&)) {
    return run_pass(name, stage, [&] {
      pass(graph_);
      return ok_status();
    });
  }

 private:
  Graph& graph_;
  const GraphPassOptions& options_;
};

}  // namespace

Status prepare_graph(Graph& graph, const GraphPassOptions& options) {
  constexpr auto kImported = GraphStage::kImported, kShaped = GraphStage::kShaped;
  GraphPasses p(graph, options);
  // First: what nobody needs refuses no model. An output is unread once its dead readers are gone.
  HONE_TRY(p.run_pass("drop_dead_nodes", kImported, drop_dead_nodes));
  HONE_TRY(p.run_pass("drop_unread_outputs", kImported, drop_unread_outputs));
  // Before shapes: the nodes that it adds have none yet.
  HONE_TRY(p.run_pass("split_variadic", kImported, split_variadic));
  HONE_TRY(p.run_pass("join_scales", kImported, join_scales));
  HONE_TRY(p.run_pass("fold_constants", kShaped, [&] { return fold_constants(graph, options.cancel); }));
  HONE_TRY(p.run_pass("hand_out_lengths", kShaped, hand_out_lengths));
  // Behind folding: statistics and epsilons are constants by now.
  HONE_TRY(p.run_pass("fold_batch_normalization", kShaped, fold_batch_normalization));
  HONE_TRY(p.run_pass("recognise_standardization", kShaped, recognise_standardization));
  HONE_TRY(p.run_pass("drop_dead_nodes", kShaped, drop_dead_nodes));
  // Last: it asks who reads a value, and dead readers would count.
  return p.run_pass("round_channels", kShaped, round_channels);
}

}  // namespace hone::graph
