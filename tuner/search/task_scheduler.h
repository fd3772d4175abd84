// TaskScheduler: which task of a model gets the next round. Follows the gradient of the model's latency, Σ weight × time, as Ansor's scheduler
// does (Zheng et al. 2020, section 6): what a round of a task brought lately, or what it may still bring, judged by how long it has been
// searched and by the speed that similar tasks reached. Pure: the same history, the same choice.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace hone::tuner {

// What the scheduler knows of a task.
struct TaskState {
  double weight = 1;
  double flops = 0;
  std::string group;            // tasks whose schedules have the same rules are similar
  std::vector<double> best_us;  // after each finished round, oldest first; 0 = no time yet
  int rounds_in_flight = 0;
  bool done = false;
};

// The share of the model's time, in µs, that the next round of a task should save. Infinite while it has had fewer rounds, those in flight
// included, than the warm-up has, or somewhat more without any time.
double expected_gain_us(const TaskState& task, const std::vector<TaskState>& all);

// A task that was not improved for so many rounds gets no more while others are still improving.
bool is_stale(const TaskState& task);

// Tasks that are not done, the most promising first.
std::vector<size_t> by_gain(const std::vector<TaskState>& tasks);

}  // namespace hone::tuner
