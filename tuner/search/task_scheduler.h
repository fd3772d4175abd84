// TaskScheduler: which task of a model gets the next round, and so when a task is entered. Follows the gradient of the model's latency,
// Σ weight × time, as Ansor's scheduler does (Zheng et al. 2020, section 6): what a round of a task brought lately, or what it may still
// bring, judged by how long it has been searched and by the speed that similar tasks reached. A task without a time is judged by its work.
// Pure: the same history, the same choice.
#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "codegen/te/task.h"
#include "tuner/search/tune.h"

namespace hone::tuner {

// What the scheduler knows of a task.
struct TaskState {
  double weight = 1;
  double work = 1;              // work_of(task)
  std::string group;            // tasks whose schedules have the same rules are similar; "" until the task is entered
  double known_us = 0;          // its best time of earlier runs; 0 = none
  std::vector<double> best_us;  // after each finished round, oldest first; 0 = no time yet
  int rounds_in_flight = 0;
  bool done = false;
};

// What a device has to do for it, to compare tasks without a time: its flops, and one operation for each element that it reads or writes,
// because which of the two binds is not known before something was measured.
double work_of(const te::Task& task);

// How fast the device does the tasks that have a time, in work per µs.
class Speeds {
 public:
  explicit Speeds(const std::vector<TaskState>& all);
  double best_of(const std::string& group) const;  // 0 = unknown
  double usual() const { return usual_; }          // over all; 1 before anything was measured, when only the relation of tasks counts

 private:
  std::map<std::string, double> best_;
  double usual_ = 1;
};

// The share of the model's time, in µs, that the next round of a task should save; for its first round, half of what it is expected to take.
double expected_gain_us(const TaskState& task, const Speeds& speeds);

// A task that was not improved for so many rounds gets no more while others are still improving.
bool is_stale(const TaskState& task);

// Tasks that are not done, the most promising first.
std::vector<size_t> by_gain(const std::vector<TaskState>& tasks);

// Tasks of which nothing is known, in the order in which a search enters them.
std::vector<size_t> entry_order(const std::vector<WeightedTask>& tasks);

}  // namespace hone::tuner
