#include "bench/space/hardware_search.h"

#include <map>
#include <set>

#include "base/cat.h"
#include "base/check.h"
#include "bench/space/kernel_time.h"
#include "bench/space/search_without_records.h"
#include "tuner/measure/runner.h"
#include "tuner/search/planner.h"

namespace hone::bench {

namespace {

tuner::Space space_of(const Hardware& gpu, const te::Task& task) {
  auto space = tuner::Space::derive(task, gpu.target);
  CHECK(space.ok(), space.error().message);
  return std::move(*space);
}

// A source that is only a hash, and what it takes.
class HardwareBuilder final : public tuner::Builder {
 public:
  explicit HardwareBuilder(const Hardware& gpu) : gpu_(gpu) {}

  Result<emit::KernelSource> build(const te::Task& task, const schedule::Trace& trace) override {
    HONE_ASSIGN(us, kernel_us(gpu_, task, trace));
    schedule::Trace bare = trace;
    bare.sketch.clear();
    emit::KernelSource source;
    source.hash = hash_bytes(cat(task.id.hex(), schedule::trace_to_json(bare)));
    times_us_[source.hash] = us;
    return source;
  }
  double time_us(const Hash& source) const { return times_us_.at(source); }

 private:
  const Hardware& gpu_;
  std::map<Hash, double> times_us_;
};

class HardwareRunner final : public tuner::Runner {
 public:
  HardwareRunner(const HardwareBuilder& builder, std::string name) : builder_(builder), name_(std::move(name)) {}
  void submit(tuner::MeasureInput input, OnResult on_result) override {
    tuner::MeasureResult result{.trial_id = input.trial_id, .attempt = input.attempt, .outcome = ErrorCode::kOk, .method = "timestamp"};
    result.latency_us_median = builder_.time_us(input.source.hash);
    result.samples_us.assign(static_cast<size_t>(input.samples_wanted), result.latency_us_median);
    on_result(std::move(result));
  }
  int capacity() const override { return 1; }
  std::string device_key() const override { return name_; }

 private:
  const HardwareBuilder& builder_;
  const std::string name_;
};

}  // namespace

double first_schedule_us(const Hardware& gpu, const te::Task& task) {
  const auto seeds = space_of(gpu, task).seeds();
  CHECK(!seeds.empty(), "no schedule of an expert is legal");
  auto us = kernel_us(gpu, task, seeds[0]);
  CHECK(us.ok(), us.error().message);
  return *us;
}

double searched_us(const Hardware& gpu, const te::Task& task, int trials, uint64_t seed) {
  HardwareBuilder builder(gpu);
  HardwareRunner runner(builder, gpu.name);
  return search_without_records(task, tuner::space_planner(gpu.target, seed), {builder, runner}, "webgpu", trials);
}

Drawn draw_schedules(const Hardware& gpu, const te::Task& task, int draws, uint64_t seed) {
  const tuner::Space space = space_of(gpu, task);
  Rng rng(hash_mix(seed, task.id.lo));
  std::set<std::string> seen;
  Drawn drawn;
  for (int i = 0; i < draws; ++i) {
    const tuner::Assignment a = space.sample(rng);
    const bool is_new = seen.insert(space.text(a)).second;
    auto trace = space.trace(a);
    drawn.legal += trace.ok();
    if (!trace.ok() || !is_new) continue;
    auto us = kernel_us(gpu, task, *trace);
    if (!us.ok() || (drawn.best_us > 0 && drawn.best_us <= *us)) continue;
    drawn.best_us = *us;
    drawn.sketch = trace->sketch;
  }
  return drawn;
}

double sketch_us(const Hardware& gpu, const te::Task& task, const std::string& sketch) {
  const tuner::Space space = space_of(gpu, task);
  schedule::Trace named;
  named.sketch = sketch;
  const auto assignment = space.parse(named);
  if (!assignment) return 0;
  auto trace = space.trace(*assignment);
  if (!trace.ok()) return 0;
  auto us = kernel_us(gpu, task, *trace);
  return us.ok() ? *us : 0;
}

}  // namespace hone::bench
