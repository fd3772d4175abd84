#include "tuner/search/task_scheduler.h"

#include <algorithm>
#include <numeric>

#include "tuner/search/limits.h"

namespace hone::tuner {

namespace {

constexpr size_t kFutileRounds = 8;  // after which a task of which nothing runs waits for the others
constexpr size_t kWindow = 3;        // rounds over which progress is measured
constexpr double kBackward = 0.2;    // the weight of what was, against what may be (Ansor's α)
constexpr double kSimilar = 2;       // how much faster than its own kind a task is believed to become (Ansor's β)
constexpr size_t kStaleRounds = 8;

double now_us(const TaskState& task) { return task.best_us.empty() ? task.known_us : task.best_us.back(); }

// What a round saved lately.
double lately_us(const TaskState& task) {
  if (task.best_us.empty()) return 0;
  const size_t rounds = task.best_us.size(), window = std::min(kWindow, rounds - 1);
  const double before = task.best_us[rounds - 1 - window];
  return window > 0 && before > 0 ? (before - now_us(task)) / static_cast<double>(window) : 0;
}

double expected_us(const TaskState& task, const Speeds& speeds) {
  if (now_us(task) > 0) return now_us(task);
  const double speed = speeds.best_of(task.group);
  return task.work / (speed > 0 ? speed : speeds.usual());
}

// What a round may save at best: all of the time divided by the rounds that it took to come here, but no more than what would make the task
// twice as fast as the fastest of its kind.
double hoped_us(const TaskState& task, const Speeds& speeds) {
  const double us = expected_us(task, speeds), speed = speeds.best_of(task.group);
  const double reachable_us = task.work / (kSimilar * (speed > 0 ? speed : task.work / us));
  return std::min(us / static_cast<double>(std::max<size_t>(1, task.best_us.size())), std::max(0.0, us - reachable_us));
}

}  // namespace

double work_of(const te::Task& task) {
  double elements = 0;
  for (const auto& list : {task.program.inputs, task.program.outputs})
    for (const te::Tensor& tensor : list) elements += static_cast<double>(ir::element_count(tensor->shape));
  return std::max(1.0, task.flops + elements);
}

std::vector<size_t> entry_order(const std::vector<WeightedTask>& tasks) {
  std::vector<TaskState> states;
  for (const WeightedTask& one : tasks)
    states.push_back({.weight = static_cast<double>(one.weight), .work = work_of(*one.task)});
  return by_gain(states);
}

bool is_stale(const TaskState& task) {
  const size_t rounds = task.best_us.size();
  return rounds > kStaleRounds && task.best_us[rounds - 1 - kStaleRounds] > 0 &&
         now_us(task) > kImprovement * task.best_us[rounds - 1 - kStaleRounds];
}

Speeds::Speeds(const std::vector<TaskState>& all) {
  double work = 0, us = 0;
  for (const TaskState& task : all) {
    if (now_us(task) <= 0) continue;
    if (!task.group.empty()) best_[task.group] = std::max(best_[task.group], task.work / now_us(task));
    work += task.work;
    us += now_us(task);
  }
  if (us > 0) usual_ = work / us;
}

double Speeds::best_of(const std::string& group) const {
  const auto found = best_.find(group);
  return found == best_.end() ? 0 : found->second;
}

double expected_gain_us(const TaskState& task, const Speeds& speeds) {
  if (now_us(task) <= 0 && task.best_us.size() >= kFutileRounds) return 0;
  return task.weight * (kBackward * lately_us(task) + (1 - kBackward) * hoped_us(task, speeds));
}

// A round in flight halves what is expected: the next knows nothing of it yet.
std::vector<size_t> by_gain(const std::vector<TaskState>& tasks) {
  struct Rank {
    bool stale;
    double gain;
    size_t rounds;
  };
  const Speeds speeds(tasks);
  std::vector<Rank> ranks;
  std::vector<size_t> order;
  for (size_t i = 0; i < tasks.size(); ++i) {
    const TaskState& t = tasks[i];
    ranks.push_back({is_stale(t), expected_gain_us(t, speeds) / (1 + t.rounds_in_flight),
                     t.best_us.size() + static_cast<size_t>(t.rounds_in_flight)});
    if (!t.done) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const Rank &x = ranks[a], &y = ranks[b];
    if (x.stale != y.stale) return y.stale;
    if (x.gain != y.gain) return x.gain > y.gain;
    return x.rounds < y.rounds;
  });
  return order;
}

}  // namespace hone::tuner
