// When a task's yardstick is measured where time is limited.
#include <gtest/gtest.h>

#include <mutex>

#include "tuner/search/tune_fixture.h"

namespace hone::tuner {
namespace {

class YardstickTest : public testing::Test, protected TuneWorld {};

TEST_F(YardstickTest, ASlowYardstickOfAKnownKindIsEstimated) {
  // Given two tasks of one kind whose plain kernels take seconds, when tuned with a time limit, then the yardstick of the first is measured
  // once, and that of the second is an estimate from it, in proportion to their work.
  te::Task twice = small_task("twice", 32);
  options_.time_s_max = 1e6;
  options_.trials_per_task = 8;
  int yardsticks = 0, samples = 0;
  std::mutex mutex;
  ScriptedRunner runner([&](int64_t number, const MeasureInput& input) {
    std::lock_guard lock(mutex);
    yardsticks += input.yardstick;
    if (input.yardstick) samples += input.samples_wanted;
    return timed(input.yardstick ? 5e6 : 100 + static_cast<double>(number), input);
  });
  WorkerPool pool(2);
  Planner of_one_kind = [&](const te::Task& task) -> Result<Plan> {
    HONE_ASSIGN(plan, planner()(task));
    plan.kind = "map";
    return std::move(plan);
  };
  options_.rounds_in_flight = 1;
  auto report = tune({{&task_, 100}, {&twice, 1}}, of_one_kind, builder_, runner, *store_, options_, pool, progress_,
                     cancel_);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(yardsticks, 1);
  EXPECT_EQ(samples, 1);
  EXPECT_FALSE(report->tasks[0].naive_estimated);
  EXPECT_TRUE(report->tasks[1].naive_estimated);
  EXPECT_DOUBLE_EQ(report->tasks[1].naive_ms, 2 * report->tasks[0].naive_ms);
}

TEST_F(YardstickTest, AYardstickIsBegunOnlyWhereItsSeedSaysThatItIsCheap) {
  // Given a task whose seed takes so long that its plain kernel may take seconds, and one whose seed is quick, when tuned with a time limit, then
  // the yardstick of the second alone is measured, and that of the first is unknown.
  te::Task quick = small_task("quick", 32);
  options_.time_s_max = 1e6;
  options_.trials_per_task = 8;
  std::vector<const te::Task*> yardsticks;
  std::mutex mutex;
  ScriptedRunner runner([&](int64_t number, const MeasureInput& input) {
    std::lock_guard lock(mutex);
    if (input.yardstick) yardsticks.push_back(input.task);
    const double seed_us = input.task == &quick ? 100 : 1e5;
    EXPECT_TRUE(!input.yardstick || input.predicted_us > 0) << "the watchdog knows what to expect";
    return timed(input.yardstick ? 5 * seed_us : seed_us + static_cast<double>(number), input);
  });
  WorkerPool pool(2);
  Planner of_two_kinds = [&](const te::Task& task) -> Result<Plan> {
    HONE_ASSIGN(plan, planner()(task));
    plan.kind = task.name;
    return std::move(plan);
  };
  auto report = tune({{&task_, 1}, {&quick, 1}}, of_two_kinds, builder_, runner, *store_, options_, pool, progress_, cancel_);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(yardsticks, std::vector<const te::Task*>{&quick});
  EXPECT_EQ(report->tasks[0].naive_ms, 0);
  EXPECT_GT(report->tasks[0].best_ms, 0);
  EXPECT_EQ(report->tasks[1].naive_ms, 0.5);
}

TEST_F(YardstickTest, AYardstickThatWasGivenUpIsNotBegunAgain) {
  // Given a plain kernel that is far slower than its seed promised, so that the time ends while it runs, when the task is tuned again within a
  // time limit, then the yardstick is not begun again; without a limit it is.
  double clock_s = 0;
  options_.time_s_max = 30;
  options_.trials_per_task = 8;
  struct StuckAtYardstick : Runner {
    ScriptedRunner inner{[](int64_t number, const MeasureInput& in) { return timed(100 + static_cast<double>(number), in); }};
    int yardsticks = 0;
    std::function<void()> stuck;
    std::vector<std::pair<MeasureInput, OnResult>> held;
    void submit(MeasureInput input, OnResult on_result) override {
      if (!input.yardstick) return inner.submit(std::move(input), std::move(on_result));
      ++yardsticks;
      held.emplace_back(std::move(input), std::move(on_result));
      if (stuck) stuck();
    }
    int capacity() const override { return inner.capacity(); }
    std::string device_key() const override { return inner.device_key(); }
    void cancel() override {
      inner.cancel();
      for (auto& [input, on_result] : std::exchange(held, {}))
        on_result({.trial_id = input.trial_id, .attempt = input.attempt, .outcome = ErrorCode::kCancelled});
    }
  };
  const auto yardsticks_begun = [&](std::function<void()> stuck) {
    StuckAtYardstick runner;
    runner.stuck = std::move(stuck);
    WorkerPool pool(2);
    auto report = tune({{&task_, 1}}, planner(), builder_, runner, *store_, options_, pool, progress_, cancel_);
    EXPECT_TRUE(report.ok());
    return runner.yardsticks;
  };
  // Nothing else is on the device by the time that the limit is reached.
  progress_.on_each = [&](const TuneProgress& p) { clock_s += p.waits_for == "the naive kernel" ? 5 : 0; };
  options_.now_s = [&clock_s] { return clock_s += 0.01; };
  EXPECT_EQ(yardsticks_begun({}), 1);
  clock_s = 0;
  EXPECT_EQ(yardsticks_begun({}), 0) << "the records know it";
  options_.time_s_max = 0;
  clock_s = 0;
  EXPECT_EQ(yardsticks_begun([this] { cancel_.cancel(); }), 1) << "whoever has the time may have it measured";
}

}  // namespace
}  // namespace hone::tuner
