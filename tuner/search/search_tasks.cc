#include "tuner/search/search_tasks.h"

#include <algorithm>

#include "tuner/search/limits.h"
#include "tuner/search/task_scheduler.h"

namespace hone::tuner {

Status SearchTasks::open(const TaskSearchOptions& options, const CancelToken& cancel) {
  for (const WeightedTask& one : tasks_) recall_.tasks.insert(one.task->id);
  HONE_ASSIGN(states, DeviceStates::read(store_, recall_.device_key));
  for (const WeightedTask& one : tasks_) {
    if (cancel.cancelled()) break;
    const te::Task& task = *one.task;
    HONE_TRY(store_.put_task({task.id, task.name, te::canonical_text(task), task.flops}));
    HONE_ASSIGN(known, store_.known_trials(task.id, recall_.device_key));
    searches_.push_back(std::make_unique<TaskSearch>(task, one.weight, known, states, options));
  }
  return ok_status();
}

std::vector<TaskSearch*> SearchTasks::by_urgency() const {
  std::vector<TaskState> states;
  for (const auto& search : searches_) states.push_back(search->state());
  std::vector<TaskSearch*> open;
  for (size_t i : by_gain(states)) open.push_back(searches_[i].get());
  return open;
}

// A task without a schedule on this device does not hold up the others.
Status SearchTasks::enter(TaskSearch& search) {
  auto plan = planner_(search.task());
  if (!plan.ok()) {
    search.refuse(plan.error());
    return ok_status();
  }
  if (plan->experience) HONE_TRY(recall_neighbours(search.task(), *plan, store_, recall_, recalled_));
  search.enter(std::move(*plan));
  return ok_status();
}

std::optional<SearchTasks::Next> SearchTasks::yardstick(const TimeLeft& left) {
  for (const auto& search : searches_) {
    if (!search->entered()) continue;
    auto slots = search->yardstick_round(expected_naive(*search), left);
    if (!slots.empty()) return Next{search.get(), std::move(slots)};
  }
  return std::nullopt;
}

Result<std::optional<SearchTasks::Next>> SearchTasks::next_round(const TimeLeft& left) {
  if (auto next = yardstick(left)) return next;
  for (TaskSearch* search : by_urgency()) {
    if (!search->entered()) {
      if (left.is_over) continue;
      HONE_TRY(enter(*search));
    }
    if (search->refusal()) continue;
    auto slots = search->next_round(left.is_over);
    if (!slots.empty()) return std::optional(Next{search, std::move(slots)});
  }
  return std::optional<Next>();
}

// By the yardsticks of its kind: how well the plain kernel suits a device depends on what it computes. Where there are none, by its seed and the
// worst that a plain kernel was to its seed.
NaiveExpectation SearchTasks::expected_naive(const TaskSearch& search) const {
  const TaskState wanted = search.state();
  double work = 0, us = 0, over_seed = kNaiveOverSeed;
  for (const auto& other : searches_) {
    if (other->naive_us() <= 0) continue;
    if (other->seed_us() > 0) over_seed = std::max(over_seed, other->naive_us() / other->seed_us());
    const TaskState state = other->state();
    if (state.group != wanted.group) continue;
    work += state.work;
    us += other->naive_us();
  }
  if (work > 0) return {.us = wanted.work * us / work, .of_its_kind = true};
  return {.us = over_seed * search.seed_us()};
}

double SearchTasks::finals_ms() const {
  double ms = 0;
  for (const auto& search : searches_) ms += search->finals_ms();
  return ms;
}

std::optional<Error> SearchTasks::refusal() const {
  const bool all = std::all_of(searches_.begin(), searches_.end(), [](const auto& s) { return s->refusal(); });
  return all && !searches_.empty() ? searches_.front()->refusal() : std::nullopt;
}

void SearchTasks::count(TuneProgress& progress) const {
  progress.tasks = static_cast<int>(searches_.size());
  for (const auto& search : searches_) {
    progress.tasks_measured += search->best_us() > 0;
    progress.trials += search->trials();
    progress.trials_planned += search->trials_planned();
  }
}

std::vector<TaskReport> SearchTasks::reports() const {
  std::vector<TaskReport> all;
  for (const auto& search : searches_) all.push_back(search->report());
  return all;
}

bool SearchTasks::cut_short() const {
  return std::any_of(searches_.begin(), searches_.end(), [](const auto& search) { return search->cut_short(); });
}

}  // namespace hone::tuner
