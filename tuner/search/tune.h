// tune: the search over several tasks on one device. Measures each task's yardstick and first schedules, then rounds of candidates from its
// strategy, always for the task that promises to save the model most (task_scheduler.h); at last re-measures the leaders with more samples.
//
// Rounds have a fixed size, two are in flight: round r+2 is proposed when round r is complete, so the device never waits and the
// proposals do not depend on timing. Trials that the store knows are not measured again; they count, and the strategy learns them first.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "tuner/measure/runner.h"
#include "tuner/records/store.h"
#include "tuner/search/executor.h"
#include "tuner/search/report.h"
#include "tuner/search/strategy.h"

namespace hone::tuner {

struct WeightedTask {
  const te::Task* task = nullptr;  // outlives the search
  int weight = 1;                  // how often the model runs it
};

struct TuneOptions {
  int trials_per_task = 64;  // candidates measured per task, seeds included
  double time_s_max = 0;     // the whole job takes no longer; 0 = no limit
  double time_s_spent = 0;   // of that, before the search
  int samples = 3;           // per candidate
  int samples_recheck = 9;   // per leader at the end
  int rounds_in_flight = 2;  // one for each device that is wanted, one that is being built; proposals depend on it
  CacheState cache = CacheState::kHot;  // in which candidates are measured and compared
  int64_t model_bytes = 0;              // that a run of the model touches; for CacheState::kModel
  std::string job_id;
  std::string target;  // for the report
  std::string fingerprint_json = "{}";
  std::string compiler_version;
  int feature_version = 0;
  std::function<double()> now_s;  // a monotonic clock; none: std::chrono::steady_clock
};

struct TuneProgress {
  int tasks = 0, tasks_measured = 0;   // tasks_measured: that have a time
  int trials = 0, trials_planned = 0;  // over all tasks, known ones included
  int trials_new = 0;
  std::map<std::string, int> errors;  // candidates of this run without a time, by outcome or the compiler's code
  double elapsed_s = 0;
  std::string waits_for;  // what has kept the search silent for a second; "" = this call brings a result
  bool device_is_away = false;
  double waited_s = 0;  // since the last result
  // The result that caused this call:
  const te::Task* task = nullptr;
  Origin origin = Origin::kSearch;
  ErrorCode outcome = ErrorCode::kOk;
  double latency_us = 0;
  double predicted_us = 0;           // by the search's model, before; 0 = nothing
  double best_us = 0, naive_us = 0;  // of this task so far; 0 = none
  std::string message;
};

// Called on the thread that called tune.
class ProgressSink {
 public:
  virtual ~ProgressSink() = default;
  virtual void on_progress(const TuneProgress& progress) = 0;
};

// Blocks until the tasks have their trials, the time is over or `cancel` is set; in the last two cases the report says so and the store holds
// every result that came. The time is a bound: what is on the device when it ends is given up. Fails: no_device when the runner only says
// agent_gone; disk_full, io_error when records cannot be written; what the planner says when no task has a schedule on this device.
Result<TuneReport> tune(const std::vector<WeightedTask>& tasks, const Planner& planner, Builder& builder,
                        Runner& runner, RecordStore& store, const TuneOptions& options, Executor& executor,
                        ProgressSink& progress, CancelToken& cancel);

}  // namespace hone::tuner
