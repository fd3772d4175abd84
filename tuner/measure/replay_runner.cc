#include "tuner/measure/replay_runner.h"

#include "base/cat.h"

namespace hone::tuner {

Result<emit::KernelSource> ReplayBuilder::build(const te::Task&, const schedule::Trace& trace) {
  const RecordedKernel* kernel = trace.sketch == "naive-v1" ? &recording_.naive : recording_.find(trace.sketch);
  if (!kernel)
    return Error{ErrorCode::kNotFound, cat("the recording of ", recording_.op, " has no kernel for ", trace.sketch)};
  emit::KernelSource source;
  source.hash = kernel->source;
  return source;
}

ReplayRunner::ReplayRunner(const Recording& recording) {
  for (const RecordedKernel& kernel : recording.kernels) kernels_[kernel.source] = kernel;
  kernels_[recording.naive.source] = recording.naive;
}

void ReplayRunner::submit(MeasureInput input, OnResult on_result) {
  auto found = kernels_.find(input.source.hash);
  CHECK(found != kernels_.end(), "only what a ReplayBuilder of the same recording built can be replayed");
  const RecordedKernel& kernel = found->second;
  MeasureResult result{
      .trial_id = input.trial_id, .attempt = input.attempt, .outcome = kernel.outcome, .method = "timestamp"};
  if (kernel.outcome == ErrorCode::kOk) {
    result.samples_us.assign(static_cast<size_t>(kernel.samples), kernel.latency_us);
    result.latency_us_median = kernel.latency_us;
  }
  result.create_ms = kernel.create_ms;
  on_result(std::move(result));
}

}  // namespace hone::tuner
