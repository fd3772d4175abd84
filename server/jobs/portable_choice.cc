#include "server/jobs/portable_choice.h"

#include <algorithm>
#include <optional>

#include "codegen/compile.h"
#include "server/jobs/launch_cost.h"
#include "tuner/records/trial_judge.h"

namespace hone::server {

namespace {

using Trials = std::vector<tuner::KnownTrial>;

const tuner::KnownTrial* trial_of(const Trials& trials, const std::string& trace_json) {
  for (const tuner::KnownTrial& trial : trials)
    if (tuner::has_time(trial) && trial.trace_json == trace_json) return &trial;
  return nullptr;
}

}  // namespace

// How many times as long as the class's fastest, on the class where that is most; nullopt where one does not know the schedule. source: null: no
// launches are counted, which is never more.
std::optional<double> PortableChooser::worst_loss(const std::vector<Measured>& classes, const std::string& trace_json,
                                                  const emit::KernelSource* source) {
  double worst = 0;
  for (const Measured& known : classes) {
    const tuner::KnownTrial* trial = trial_of(known.trials, trace_json);
    if (!trial) return std::nullopt;
    const double us = source ? in_model_us(trial->latency_us, *source, known.launch_us) : trial->latency_us;
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

std::vector<PortableChooser::Candidate> PortableChooser::candidates(const std::vector<Measured>& classes) {
  std::vector<Candidate> out;
  for (const tuner::KnownTrial& trial : classes[0].trials)
    if (const auto loss = tuner::has_time(trial) ? worst_loss(classes, trial.trace_json, nullptr) : std::nullopt)
      out.push_back({&trial, *loss});
  std::stable_sort(out.begin(), out.end(), [](const Candidate& a, const Candidate& b) { return a.loss < b.loss; });
  if (out.size() > kCompiledMax) out.resize(kCompiledMax);
  return out;
}

std::optional<ChosenKernel> PortableChooser::least_loss(const te::Task& task,
                                                        const std::vector<Measured>& classes) const {
  std::optional<ChosenKernel> best;
  double least = 0;
  for (const Candidate& candidate : candidates(classes)) {
    if (best && candidate.loss >= least) break;
    const auto trace = schedule::trace_from_json(candidate.trial->trace_json);
    auto source = trace.ok() ? compile_kernel(task, *trace, target_) : Result<emit::KernelSource>(trace.error());
    if (!source.ok()) continue;
    const double loss = *worst_loss(classes, candidate.trial->trace_json, &*source);
    if (best && loss >= least) continue;
    least = loss;
    const bool seed = candidate.trial->origin == tuner::Origin::kSeed;
    best = ChosenKernel{std::move(*source), seed ? "seed" : "tuned",
                        seed ? 0 : static_cast<int>(classes[0].trials.size())};
  }
  return best;
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
  auto best = classes.empty() ? std::nullopt : least_loss(task, classes);
  return best ? Result<ChosenKernel>(std::move(*best)) : choose_unmeasured(task);
}

}  // namespace hone::server
