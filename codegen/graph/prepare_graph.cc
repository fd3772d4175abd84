#include "codegen/graph/prepare_graph.h"

#include <algorithm>

#include "base/cat.h"
#include "codegen/graph/lengths.h"
#include "codegen/graph/overflow.h"
#include "codegen/graph/passes.h"
#include "codegen/graph/verify_graph.h"

namespace hone::graph {
namespace {

// A pass that only makes a model faster. Needs: shapes known, constants folded.
struct OptionalPass {
  std::string_view name;
  void (*run)(Graph&);
};

constexpr OptionalPass kOptionalPasses[] = {
    // Before what looks for its pieces, and for Transposes: those that it writes meet the model's.
    {"split_attention", split_attention},
    // Before what looks at a TopK.
    {"order_updates", order_updates},
    // Nothing that it writes is a piece of what others look for.
    {"narrow_choices", narrow_choices},
    // What vanishes stands between no pieces.
    {"simplify_algebra", simplify_algebra},
    // Factors stand between no Transposes then.
    {"scale_products", scale_products},
    // Before what looks at a convolution's readers.
    {"eliminate_transposes", eliminate_transposes},
    {"fold_batch_normalization", fold_batch_normalization},
    {"recognise_standardization", recognise_standardization},
    {"recognise_gelu", recognise_gelu},
    // Last: it asks who reads a value, and dead readers would count.
    {"round_channels", round_channels},
};

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

  // Each leaves dead nodes behind, whose reading would count for the next.
  Status run_optional(const OptionalPass& pass) {
    if (options_.without.count(pass.name)) return ok_status();
    return run_pass(pass.name, GraphStage::kShaped, [&] {
      pass.run(graph_);
      drop_dead_nodes(graph_);
      return ok_status();
    });
  }

 private:
  Graph& graph_;
  const GraphPassOptions& options_;
};

}  // namespace

std::vector<std::string_view> optional_passes() {
  std::vector<std::string_view> names;
  for (const OptionalPass& pass : kOptionalPasses) names.push_back(pass.name);
  return names;
}

Status check_optional_passes(const PassNames& names) {
  const std::vector<std::string_view> known = optional_passes();
  std::string list;
  for (std::string_view name : known) list += cat(list.empty() ? "" : ", ", name);
  for (const std::string& name : names)
    if (std::find(known.begin(), known.end(), name) == known.end())
      return Error{ErrorCode::kInvalidArgument, cat("found the pass '", name, "', which cannot be left out; expected one of ", list)};
  return ok_status();
}

Status prepare_graph(Graph& graph, const GraphPassOptions& options) {
  constexpr auto kImported = GraphStage::kImported, kShaped = GraphStage::kShaped;
  HONE_TRY(check_optional_passes(options.without));
  GraphPasses p(graph, options);
  // First: what nobody needs refuses no model. An output is unread once its dead readers are gone.
  HONE_TRY(p.run_pass("drop_dead_nodes", kImported, drop_dead_nodes));
  HONE_TRY(p.run_pass("drop_unread_outputs", kImported, drop_unread_outputs));
  // Before shapes: the nodes that it adds have none yet.
  HONE_TRY(p.run_pass("split_variadic", kImported, split_variadic));
  HONE_TRY(p.run_pass("join_scales", kImported, join_scales));
  HONE_TRY(p.run_pass("fold_constants", kShaped, [&] { return fold_constants(graph, options.cancel); }));
  HONE_TRY(p.run_pass("hand_out_lengths", kShaped, hand_out_lengths));
  // Behind folding: statistics, epsilons and factors are constants by now.
  for (const OptionalPass& pass : kOptionalPasses) HONE_TRY(p.run_optional(pass));
  // Behind what may leave a copy out.
  HONE_TRY(p.run_pass("separate_states", kShaped, separate_states));
  // Last: what it writes stands beside nodes as they will run.
  return p.run_pass("watch_overflow", kShaped, [&] { return watch_overflow(graph, options.cancel); });
}

}  // namespace hone::graph
