#include "server/jobs/launch_cost.h"

#include <algorithm>

#include "codegen/compile.h"
#include "codegen/schedule/trace.h"
#include "tuner/records/trial_judge.h"

namespace hone::server {

namespace {

std::vector<tuner::KnownTrial> fastest_first(const std::vector<tuner::KnownTrial>& trials) {
  std::vector<tuner::KnownTrial> out;
  std::copy_if(trials.begin(), trials.end(), std::back_inserter(out), tuner::has_time);
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return tuner::choice_us(a, a.latency_us) < tuner::choice_us(b, b.latency_us); });
  if (out.size() > kCompiledMax) out.resize(kCompiledMax);
  return out;
}

Result<emit::KernelSource> compiled(const tuner::KnownTrial& trial, const te::Task& task,
                                    const target::Target& target) {
  HONE_ASSIGN(trace, schedule::trace_from_json(trial.trace_json));
  return compile_kernel(task, trace, target);
}

}  // namespace

int launches_of_run(const emit::KernelSource& source) {
  return static_cast<int>(
      std::count_if(source.launches.begin(), source.launches.end(), [](const auto& launch) { return !launch.ahead; }));
}

double in_model_us(double latency_us, const emit::KernelSource& source, double launch_us) {
  return latency_us + launch_us * std::max(0, launches_of_run(source) - 1);
}

std::optional<BestInModel> best_in_model(const std::vector<tuner::KnownTrial>& trials, const te::Task& task,
                                         const target::Target& target) {
  std::optional<BestInModel> best;
  double least_us = 0;
  for (const tuner::KnownTrial& trial : fastest_first(trials)) {
    if (best && tuner::choice_us(trial, trial.latency_us) >= least_us) break;
    auto source = compiled(trial, task, target);
    if (!source.ok()) continue;
    const double us = tuner::choice_us(trial, in_model_us(trial.latency_us, *source, target.launch_us));
    if (best && us >= least_us) continue;
    least_us = us;
    best = {trial, std::move(*source)};
  }
  return best;
}

}  // namespace hone::server
