#include "tuner/search/task_scheduler.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "tuner/search/limits.h"

namespace hone::tuner {

namespace {

constexpr size_t kWarmUpRounds = 2;  // the seeds, and one of the search
constexpr size_t kFutileRounds = 8;  // after which a task of which nothing runs waits for the others
constexpr size_t kWindow = 3;        // rounds over which progress is measured
constexpr double kBackward = 0.2;    // the weight of what was, against what may be (Ansor's α)
constexpr double kSimilar = 2;       // how much faster than its own kind a task is believed to become (Ansor's β)
constexpr size_t kStaleRounds = 8;

double now_us(const TaskState& task) { return task.best_us.empty() ? 0 : task.best_us.back(); }

// What a round saved lately.
double lately_us(const TaskState& task) {
  const size_t rounds = task.best_us.size(), window = std::min(kWindow, rounds - 1);
  const double before = task.best_us[rounds - 1 - window];
  return window > 0 && before > 0 ? (before - now_us(task)) / static_cast<double>(window) : 0;
}

// The best speed of the task's kind, in FLOP/µs.
double speed_of_kind(const TaskState& task, const std::vector<TaskState>& all) {
  double best = 0;
  for (const TaskState& other : all)
    if (other.group == task.group && now_us(other) > 0) best = std::max(best, other.flops / now_us(other));
  return best;
}

// What a round may save at best: all of the time divided by the rounds that it took to come here, but no more than what would make the task
// twice as fast as the fastest of its kind.
double hoped_us(const TaskState& task, const std::vector<TaskState>& all) {
  const double us = now_us(task), speed = speed_of_kind(task, all);
  double hoped = us / static_cast<double>(task.best_us.size());
  if (speed > 0) hoped = std::min(hoped, std::max(0.0, us - task.flops / (kSimilar * speed)));
  return hoped;
}

}  // namespace

bool is_stale(const TaskState& task) {
  const size_t rounds = task.best_us.size();
  return rounds > kStaleRounds && task.best_us[rounds - 1 - kStaleRounds] > 0 &&
         now_us(task) > kImprovement * task.best_us[rounds - 1 - kStaleRounds];
}

double expected_gain_us(const TaskState& task, const std::vector<TaskState>& all) {
  const size_t rounds = task.best_us.size() + static_cast<size_t>(task.rounds_in_flight);
  if (rounds < (now_us(task) > 0 || task.best_us.empty() ? kWarmUpRounds : kFutileRounds))
    return std::numeric_limits<double>::infinity();
  if (now_us(task) <= 0) return 0;
  const double gain = kBackward * lately_us(task) + (1 - kBackward) * hoped_us(task, all);
  return task.weight * gain;
}

// A round in flight halves what is expected: the next knows nothing of it yet. Those in the warm-up are served in turns.
std::vector<size_t> by_gain(const std::vector<TaskState>& tasks) {
  struct Rank {
    bool stale;
    double gain;
    size_t rounds;
  };
  std::vector<Rank> ranks;
  std::vector<size_t> order;
  for (size_t i = 0; i < tasks.size(); ++i) {
    const TaskState& t = tasks[i];
    ranks.push_back({is_stale(t), expected_gain_us(t, tasks) / (1 + t.rounds_in_flight),
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
