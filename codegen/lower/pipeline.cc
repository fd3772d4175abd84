#include "codegen/lower/pipeline.h"

#include "base/cat.h"
#include "codegen/arith/verify_bounds.h"
#include "codegen/ir/printer.h"
#include "codegen/ir/verify.h"
#include "codegen/lower/build_loops.h"
#include "codegen/lower/passes.h"
#include "codegen/schedule/schedule.h"

namespace hone::lower {

namespace {

class Pipeline {
 public:
  explicit Pipeline(const PipelineOptions& options) : options_(options) {}

  Status run_pass(std::string_view name, Result<ir::Kernel> result, ir::VerifyStage stage) {
    if (!result.ok()) return result.error();
    kernel = std::move(*result);
    if (options_.dump) options_.dump(name, ir::print(kernel));
    if (options_.observe) options_.observe(name, kernel);
    if (!options_.verify) return ok_status();
    Status verified = ir::verify(kernel, stage);
    if (verified.ok()) verified = arith::verify_bounds(kernel);
    CHECK(verified.ok(), cat("after pass ", name, ": ", verified.error().message, "\n", ir::print(kernel)));
    return ok_status();
  }

  ir::Kernel kernel;

 private:
  const PipelineOptions& options_;
};

constexpr auto kLogical = ir::VerifyStage::kLoops, kFlat = ir::VerifyStage::kFlat,
               kLaunched = ir::VerifyStage::kLaunched;

Status make_loops(Pipeline& p, const te::Task& task, const schedule::Trace& trace, const target::Target& target,
                  const PipelineOptions& options) {
  HONE_ASSIGN(schedule, schedule::apply_trace(task, trace, target));
  if (options.dump) options.dump("apply_trace", schedule::print_schedule(*schedule));
  HONE_TRY(schedule::check_complete(*schedule));
  // Regions were inferred as the stages were attached; places, guards and barriers are known once the loops stand.
  HONE_TRY(p.run_pass("build_loops", build_loops(task, *schedule), kLogical));
  // Before unrolling multiplies the tests that it removes.
  HONE_TRY(p.run_pass("partition_loops", partition_loops(p.kernel), kLogical));
  // Before vectors: contiguity is a property of the flat index.
  HONE_TRY(p.run_pass("flatten_storage", flatten_storage(p.kernel), kFlat));
  // While loops bound to threads are still loops: they become the launch's own variables, which every later pass may assume.
  return p.run_pass("split_launches", split_launches(p.kernel, target), kFlat);
}

}  // namespace

Result<ir::Kernel> lower_to_loops(const te::Task& task, const schedule::Trace& trace, const target::Target& target) {
  PipelineOptions options;
  Pipeline p(options);
  HONE_TRY(make_loops(p, task, trace, target, options));
  return std::move(p.kernel);
}

Result<ir::Kernel> lower_kernel(const te::Task& task, const schedule::Trace& trace, const target::Target& target,
                                const PipelineOptions& options) {
  Pipeline p(options);
  HONE_TRY(make_loops(p, task, trace, target, options));
  // Before unrolling, so that one vector statement is copied and not its lanes.
  HONE_TRY(p.run_pass("vectorize_loops", vectorize_loops(p.kernel), kFlat));
  HONE_TRY(p.run_pass("unroll_loops", unroll_loops(p.kernel, target), kLaunched));
  // After unrolling: alignment of an access often follows from its literal part.
  HONE_TRY(p.run_pass("plan_vectors", plan_vectors(p.kernel), kLaunched));
  // After unrolling has made register indices literals, after plan_vectors has chosen their element.
  HONE_TRY(p.run_pass("registerize", registerize(p.kernel), kLaunched));
  // Last: it shares what the copies have in common.
  HONE_TRY(p.run_pass("reduce_index_strength", reduce_index_strength(p.kernel), kLaunched));
  HONE_TRY(verify_for(p.kernel, target));
  return std::move(p.kernel);
}

}  // namespace hone::lower
