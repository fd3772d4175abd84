#include "server/jobs/portable_choice.h"

#include <algorithm>
#include <limits>

#include "codegen/compile.h"
#include "tuner/records/trial_judge.h"

namespace hone::server {

namespace {

using Trials = std::vector<tuner::KnownTrial>;

double time_of(const Trials& trials, const Hash& source) {
  for (const tuner::KnownTrial& trial : trials)
    if (trial.source_hash == source && trial.outcome == ErrorCode::kOk && trial.latency_us > 0) return trial.latency_us;
  return std::numeric_limits<double>::infinity();
}

// How many times as long as the class's best, on the class where that is most; infinite where one does not know the kernel.
double worst_loss(const std::vector<Trials>& classes, const Hash& source) {
  double worst = 0;
  for (const Trials& trials : classes)
    worst = std::max(worst, time_of(trials, source) / tuner::best_of(trials)->latency_us);
  return worst;
}

}  // namespace

PortableChooser::PortableChooser(tuner::RecordStore* store, tuner::Planner planner, target::Target target,
                                 std::vector<std::string> device_keys)
    : store_(store), planner_(planner), target_(target), device_keys_(std::move(device_keys)),
      without_records_(nullptr, std::move(planner), std::move(target), "") {}

// Those alone that have a best.
Result<std::vector<Trials>> PortableChooser::classes_of(const te::Task& task) const {
  std::vector<Trials> classes;
  for (const std::string& key : device_keys_) {
    HONE_ASSIGN(trials, store_->known_trials(task.id, key));
    if (tuner::best_of(trials)) classes.push_back(std::move(trials));
  }
  return classes;
}

std::vector<ChosenKernel> PortableChooser::candidates(const te::Task& task, const std::vector<Trials>& classes) const {
  std::vector<ChosenKernel> out;
  const auto add = [&](const schedule::Trace& trace, const char* origin, int trials) {
    if (auto source = compile_kernel(task, trace, target_); source.ok())
      out.push_back({std::move(*source), origin, trials});
  };
  for (const Trials& trials : classes) {
    const auto best = tuner::best_of(trials);
    const auto trace = schedule::trace_from_json(best->trace_json);
    if (trace.ok() && best->origin != tuner::Origin::kSeed) add(*trace, "tuned", static_cast<int>(trials.size()));
  }
  if (const auto plan = planner_(task); plan.ok())
    for (const schedule::Trace& seed : plan->seeds) add(seed, "seed", 0);
  return out;
}

Result<ChosenKernel> PortableChooser::choose(const te::Task& task) const {
  std::vector<Trials> classes;
  if (store_) {
    HONE_ASSIGN(known, classes_of(task));
    classes = std::move(known);
  }
  if (classes.empty()) return without_records_.choose(task, protocol::ScheduleChoice::kBest);
  std::vector<ChosenKernel> all = candidates(task, classes);
  const auto loss = [&](const ChosenKernel& kernel) { return worst_loss(classes, kernel.source.hash); };
  const auto least =
      std::min_element(all.begin(), all.end(), [&](const auto& a, const auto& b) { return loss(a) < loss(b); });
  if (least == all.end() || loss(*least) == std::numeric_limits<double>::infinity())
    return without_records_.choose(task, protocol::ScheduleChoice::kBest);
  return std::move(*least);
}

}  // namespace hone::server
