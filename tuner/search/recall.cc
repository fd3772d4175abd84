#include "tuner/search/recall.h"

#include <algorithm>

#include "tuner/search/experience.h"

namespace hone::tuner {

namespace {

constexpr size_t kRecalledMax = 40;   // groups of a job
constexpr int kPairsForSeeds = 8;     // asked for once there are so many
constexpr size_t kSeedsOfTask = 8;    // what is fastest for the task itself on other devices: a round
constexpr size_t kSeedsOfOthers = 3;  // the bests of other tasks

const KnownTrial* best_of(const Neighbour& neighbour) {
  const KnownTrial* best = nullptr;
  for (const KnownTrial& trial : neighbour.trials)
    if (trial.latency_us > 0 && (!best || trial.latency_us < best->latency_us)) best = &trial;
  return best;
}

CostGroup rows_of(const Neighbour& neighbour, double best_us) {
  CostGroup rows;
  for (const KnownTrial& trial : neighbour.trials) {
    if (trial.features.size() != kFeatureCount) continue;
    CostRow row;
    std::copy(trial.features.begin(), trial.features.end(), row.features.begin());
    row.speed = trial.latency_us > 0 ? static_cast<float>(best_us / trial.latency_us) : 0;
    rows.push_back(row);
  }
  return rows;
}

// The schedule of a like task, made to fit this one; nullopt: it is of another kind.
std::optional<schedule::Trace> seed_of(const KnownTrial& best, const Plan& plan) {
  auto trace = schedule::trace_from_json(best.trace_json);
  if (!trace.ok() || !plan.adapt || trace->sketch.rfind(plan.kind + ":", 0) != 0) return std::nullopt;
  return plan.adapt(*trace);
}

void add_seed(Plan& plan, std::optional<schedule::Trace> seed) {
  if (!seed) return;
  const Hash id = identity(*seed);
  auto same = [&id](const schedule::Trace& other) { return identity(other) == id; };
  if (std::none_of(plan.seeds.begin(), plan.seeds.end(), same)) plan.seeds.push_back(std::move(*seed));
}

struct Timed {
  const KnownTrial* trial = nullptr;
  double speed = 0;  // relative to the fastest on its device
};

// Of the task itself on all other devices that are known, the fastest first. What was measured there says more of the fastest few than a model of
// it does, which blurs them with many others.
void add_seeds_of_task(const te::Task& task, const std::vector<Neighbour>& neighbours, Plan& plan) {
  std::vector<Timed> all;
  for (const Neighbour& neighbour : neighbours) {
    const KnownTrial* best = neighbour.task_id == task.id ? best_of(neighbour) : nullptr;
    if (!best) continue;
    for (const KnownTrial& trial : neighbour.trials)
      if (trial.latency_us > 0) all.push_back({&trial, best->latency_us / trial.latency_us});
  }
  std::stable_sort(all.begin(), all.end(), [](const Timed& a, const Timed& b) { return a.speed > b.speed; });
  const size_t seeds_max = plan.seeds.size() + kSeedsOfTask;
  for (const Timed& timed : all)
    if (plan.seeds.size() < seeds_max) add_seed(plan, seed_of(*timed.trial, plan));
}

}  // namespace

Status recall_neighbours(const te::Task& task, Plan& plan, RecordStore& store, const RecallOptions& options,
                         Recalled& recalled) {
  const int pairs_max = recalled.size() < kRecalledMax ? kNeighboursMax : kPairsForSeeds;
  HONE_ASSIGN(neighbours,
              store.neighbours(options.target, options.feature_version, task.id, options.device_key, pairs_max));
  add_seeds_of_task(task, neighbours, plan);
  const size_t seeds_max = plan.seeds.size() + kSeedsOfOthers;
  for (const Neighbour& neighbour : neighbours) {
    const KnownTrial* best = best_of(neighbour);
    if (!best) continue;
    if (neighbour.task_id != task.id && plan.seeds.size() < seeds_max) add_seed(plan, seed_of(*best, plan));
    const bool is_own = neighbour.device_key == options.device_key && options.tasks.count(neighbour.task_id) > 0;
    if (is_own || recalled.size() >= kRecalledMax) continue;
    if (!recalled.insert({neighbour.task_id, neighbour.device_key}).second) continue;
    plan.experience->add_group(rows_of(neighbour, best->latency_us));
  }
  return ok_status();
}

}  // namespace hone::tuner
