#include "server/jobs/kernel_choice.h"

#include <algorithm>

#include "codegen/compile.h"
#include "server/jobs/launch_cost.h"

namespace hone::server {

namespace {

using Trials = std::vector<tuner::KnownTrial>;

double recorded_us(const Trials& trials, const Hash& source) {
  for (const tuner::KnownTrial& trial : trials)
    if (trial.source_hash == source && trial.latency_us > 0) return trial.latency_us;
  return 0;
}

}  // namespace

std::optional<ChosenKernel> KernelChooser::best(const te::Task& task, const Trials& trials) const {
  auto best = best_in_model(trials, task, target_);
  if (!best) return std::nullopt;
  const auto candidates = std::count_if(trials.begin(), trials.end(), [](const auto& t) { return t.candidate; });
  if (candidates == 1 && best->trial.origin == tuner::Origin::kSeed)
    return ChosenKernel{std::move(best->source), "seed"};
  return ChosenKernel{.source = std::move(best->source),
                      .origin = "tuned",
                      .trials = static_cast<int>(candidates),
                      .browser_major = best->trial.browser_major};
}

std::optional<ChosenKernel> KernelChooser::seed(const te::Task& task) const {
  const auto plan = planner_(task);
  if (!plan.ok()) return std::nullopt;
  for (const schedule::Trace& seed : plan->seeds)
    if (auto source = compile_kernel(task, seed, target_); source.ok()) return ChosenKernel{std::move(*source), "seed"};
  return std::nullopt;
}

Result<ChosenKernel> KernelChooser::choose(const te::Task& task, protocol::ScheduleChoice choice) const {
  HONE_ASSIGN(trials, store_ ? store_->known_trials(task.id, device_key_) : Result<Trials>(Trials{}));
  std::optional<ChosenKernel> chosen;
  if (choice == protocol::ScheduleChoice::kBest) chosen = best(task, trials);
  if (!chosen && choice != protocol::ScheduleChoice::kNaive) chosen = seed(task);
  if (!chosen) {
    HONE_ASSIGN(naive, baseline_trace(task, target_));
    HONE_ASSIGN(source, compile_kernel(task, naive, target_));
    chosen = ChosenKernel{std::move(source), "naive"};
  }
  chosen->recorded_us = recorded_us(trials, chosen->source.hash);
  return std::move(*chosen);
}

}  // namespace hone::server
