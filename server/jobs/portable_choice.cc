#include "server/jobs/portable_choice.h"

#include <algorithm>
#include <limits>

#include "codegen/compile.h"
#include "server/jobs/launch_cost.h"
#include "tuner/records/trial_judge.h"

namespace hone::server {

namespace {

using Trials = std::vector<tuner::KnownTrial>;

double time_of(const Trials& trials, const Hash& source) {
  for (const tuner::KnownTrial& trial : trials)
    if (trial.source_hash == source && trial.outcome == ErrorCode::kOk && trial.latency_us > 0) return trial.latency_us;
  return std::numeric_limits<double>::infinity();
}

}  // namespace

// How many times as long as the class's fastest, on the class where that is most; infinite where one does not know the kernel.
double PortableChooser::worst_loss(const std::vector<Measured>& classes, const emit::KernelSource& source) {
  double worst = 0;
  for (const Measured& known : classes) {
    const double us = in_model_us(time_of(known.trials, source.hash), source, known.launch_us);
    worst = std::max(worst, us / tuner::best_of(known.trials)->latency_us);
  }
  return worst;
}

PortableChooser::PortableChooser(tuner::RecordStore* store, tuner::Planner planner, target::Target target,
                                 std::vector<KnownClass> classes)
    : store_(store),
      planner_(planner),
      target_(target),
      classes_(std::move(classes)),
      without_records_(nullptr, std::move(planner), std::move(target), "") {}

// Those alone that have a best.
Result<std::vector<PortableChooser::Measured>> PortableChooser::classes_of(const te::Task& task) const {
  std::vector<Measured> measured;
  for (const KnownClass& known : classes_) {
    HONE_ASSIGN(trials, store_->known_trials(task.id, known.key));
    if (tuner::best_of(trials)) measured.push_back({std::move(trials), known.launch_us});
  }
  return measured;
}

std::vector<ChosenKernel> PortableChooser::candidates(const te::Task& task,
                                                      const std::vector<Measured>& classes) const {
  std::vector<ChosenKernel> out;
  for (const Measured& known : classes) {
    target::Target target = target_;
    target.launch_us = known.launch_us;
    auto best = best_in_model(known.trials, task, target);
    if (best && best->trial.origin != tuner::Origin::kSeed)
      out.push_back({std::move(best->source), "tuned", static_cast<int>(known.trials.size())});
  }
  if (const auto plan = planner_(task); plan.ok())
    for (const schedule::Trace& seed : plan->seeds)
      if (auto source = compile_kernel(task, seed, target_); source.ok()) out.push_back({std::move(*source), "seed"});
  return out;
}

Result<ChosenKernel> PortableChooser::choose_unmeasured(const te::Task& task) const {
  const auto plan =
      target_.launch_us > 0 ? planner_(task) : Result<tuner::Plan>(Error{ErrorCode::kUnsupported, "launches are free"});
  std::optional<ChosenKernel> fewest;
  for (const schedule::Trace& seed : plan.ok() ? plan->seeds : std::vector<schedule::Trace>{}) {
    auto source = compile_kernel(task, seed, target_);
    if (!source.ok() || (fewest && launches_of_run(*source) >= launches_of_run(fewest->source))) continue;
    fewest = ChosenKernel{std::move(*source), "seed"};
    if (launches_of_run(fewest->source) <= 1) break;
  }
  if (fewest) return std::move(*fewest);
  return without_records_.choose(task, protocol::ScheduleChoice::kBest);
}

Result<ChosenKernel> PortableChooser::choose(const te::Task& task) const {
  std::vector<Measured> classes;
  if (store_) {
    HONE_ASSIGN(known, classes_of(task));
    classes = std::move(known);
  }
  if (classes.empty()) return choose_unmeasured(task);
  std::vector<ChosenKernel> all = candidates(task, classes);
  const auto loss = [&](const ChosenKernel& kernel) { return worst_loss(classes, kernel.source); };
  const auto least =
      std::min_element(all.begin(), all.end(), [&](const auto& a, const auto& b) { return loss(a) < loss(b); });
  if (least == all.end() || loss(*least) == std::numeric_limits<double>::infinity()) return choose_unmeasured(task);
  return std::move(*least);
}

}  // namespace hone::server
