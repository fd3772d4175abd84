// SearchTasks: the tasks of one search. Says which is served next, and enters a task when it is first served: only then its space is derived
// and what the records know of its neighbours is read. On the search's thread.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "tuner/records/store.h"
#include "tuner/search/recall.h"
#include "tuner/search/task_search.h"
#include "tuner/search/tune.h"

namespace hone::tuner {

class SearchTasks {
 public:
  // What is given outlives it.
  SearchTasks(const std::vector<WeightedTask>& tasks, const Planner& planner, RecordStore& store, RecallOptions recall)
      : tasks_(tasks), planner_(planner), store_(store), recall_(std::move(recall)) {}

  // Reads what the records know of the tasks, unless it is cancelled. Fails as the store does.
  Status open(const TaskSearchOptions& options, const CancelToken& cancel);

  struct Next {
    TaskSearch* search = nullptr;
    std::vector<Slot> slots;
  };
  // A yardstick that is cheap against the time that is left, else the next round of the task that promises most of those that have one; nullopt:
  // none has. When the time is over no task is entered any more. Fails as the store does.
  Result<std::optional<Next>> next_round(const TimeLeft& left);

  // What the measurements that end the search should take on the device, in ms.
  double finals_ms() const;
  // The compiler's word where no task has a schedule on this device.
  std::optional<Error> refusal() const;
  void count(TuneProgress& progress) const;  // its tasks and trials
  std::vector<TaskReport> reports() const;
  bool cut_short() const;

 private:
  std::vector<TaskSearch*> by_urgency() const;
  Status enter(TaskSearch& search);
  std::optional<Next> yardstick(const TimeLeft& left);
  NaiveExpectation expected_naive(const TaskSearch& search) const;

  const std::vector<WeightedTask>& tasks_;
  const Planner& planner_;
  RecordStore& store_;
  RecallOptions recall_;
  Recalled recalled_;
  std::vector<std::unique_ptr<TaskSearch>> searches_;
};

}  // namespace hone::tuner
