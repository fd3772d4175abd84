#include "codegen/lower/pipeline.h"

#include "base/cat.h"
#include "codegen/arith/verify_bounds.h"
#include "codegen/ir/printer.h"
#include "codegen/ir/verify.h"
#include "codegen/lower/build_loops.h"
#include "codegen/lower/passes.h"

namespace hone::lower {

namespace {

class Pipeline {
 public:
  explicit Pipeline(const PipelineOptions& options) : options_(options) {}

  template <typename Pass>
  Status run_pass(std::string_view name, ir::VerifyStage stage, const Pass& pass) {
    if (options_.cancelled && options_.cancelled()) return Error{ErrorCode::kCancelled, "the lowering was cancelled"};
    const bool timed = options_.now_ms && options_.time;
    const double started_ms = timed ? options_.now_ms() : 0;
    Result<ir::Kernel> result = pass();
    if (timed) options_.time(name, options_.now_ms() - started_ms);
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

Status make_loops(Pipeline& p, schedule::Schedule& schedule, const PipelineOptions& options) {
  const target::Target& target = schedule.target();
  if (options.dump) options.dump("apply_trace", schedule::print_schedule(schedule));
  HONE_TRY(schedule::check_complete(schedule));
  // Regions were inferred as the stages were attached; places, guards and barriers are known once the loops stand.
  HONE_TRY(p.run_pass("build_loops", kLogical, [&] { return build_loops(schedule.given(), schedule); }));
  // Before unrolling multiplies the tests that it removes.
  HONE_TRY(p.run_pass("partition_loops", kLogical, [&] { return partition_loops(p.kernel); }));
  // Before vectors: contiguity is a property of the flat index.
  HONE_TRY(p.run_pass("flatten_storage", kFlat, [&] { return flatten_storage(p.kernel, target); }));
  // While loops bound to threads are still loops: they become the launch's own variables, which every later pass may assume.
  return p.run_pass("split_launches", kFlat, [&] { return split_launches(p.kernel); });
}

}  // namespace

Result<ir::Kernel> lower_to_loops(const te::Task& task, const schedule::Trace& trace, const target::Target& target) {
  HONE_ASSIGN(schedule, schedule::apply_trace(task, trace, target));
  return lower_to_loops(*schedule);
}

Result<ir::Kernel> lower_to_loops(schedule::Schedule& schedule) {
  PipelineOptions options;
  Pipeline p(options);
  HONE_TRY(make_loops(p, schedule, options));
  return std::move(p.kernel);
}

Result<ir::Kernel> lower_kernel(const te::Task& task, const schedule::Trace& trace, const target::Target& target,
                                const PipelineOptions& options) {
  Pipeline p(options);
  HONE_ASSIGN(schedule, schedule::apply_trace(task, trace, target));
  HONE_TRY(make_loops(p, *schedule, options));
  // Before unrolling, so that one vector statement is copied and not its lanes.
  HONE_TRY(p.run_pass("vectorize_loops", kFlat, [&] { return vectorize_loops(p.kernel); }));
  HONE_TRY(p.run_pass("unroll_loops", kLaunched, [&] { return unroll_loops(p.kernel, target); }));
  // After unrolling: alignment of an access often follows from its literal part.
  HONE_TRY(p.run_pass("plan_vectors", kLaunched, [&] { return plan_vectors(p.kernel); }));
  // After unrolling has made register indices literals, after plan_vectors has chosen their element.
  HONE_TRY(p.run_pass("registerize", kLaunched, [&] { return registerize(p.kernel); }));
  // Last: it shares what the copies have in common.
  HONE_TRY(p.run_pass("reduce_index_strength", kLaunched, [&] { return reduce_index_strength(p.kernel); }));
  HONE_TRY(verify_for(p.kernel, target));
  return std::move(p.kernel);
}

}  // namespace hone::lower
