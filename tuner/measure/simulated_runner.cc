#include "tuner/measure/simulated_runner.h"

#include "base/cat.h"

namespace hone::tuner {

Result<emit::KernelSource> SimulatedBuilder::build(const te::Task& task, const schedule::Trace& trace) {
  HONE_ASSIGN(us, simulated_us(gpu_, task, trace));
  schedule::Trace bare = trace;
  bare.sketch.clear();
  emit::KernelSource source;
  source.hash = hash_bytes(cat(task.id.hex(), schedule::trace_to_json(bare)));
  std::lock_guard lock(mutex_);
  times_us_[source.hash] = us;
  return source;
}

double SimulatedBuilder::time_us(const Hash& source) const {
  std::lock_guard lock(mutex_);
  auto found = times_us_.find(source);
  CHECK(found != times_us_.end(), "only what the same builder built can be simulated");
  return found->second;
}

void SimulatedRunner::submit(MeasureInput input, OnResult on_result) {
  const double us = builder_.time_us(input.source.hash);
  const double share = static_cast<double>(hash_mix(input.source.hash.lo, 1) >> 11) * 0x1p-52 - 1;  // in [-1, 1)
  MeasureResult result{
      .trial_id = input.trial_id, .attempt = input.attempt, .outcome = ErrorCode::kOk, .method = "timestamp"};
  result.latency_us_median = us * (1 + noise_ * share);
  result.samples_us.assign(static_cast<size_t>(input.samples_wanted), result.latency_us_median);
  on_result(std::move(result));
}

}  // namespace hone::tuner
