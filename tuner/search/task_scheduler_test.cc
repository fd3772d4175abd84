#include "tuner/search/task_scheduler.h"

#include <gtest/gtest.h>

namespace hone::tuner {
namespace {

TaskState task(double weight, std::vector<double> best_us, std::string group = "tile") {
  return {.weight = weight, .work = 1000, .group = std::move(group), .best_us = std::move(best_us)};
}

TEST(TaskScheduler, TasksAreEnteredByWhatTheyPromise) {
  // Given tasks of which nothing is known, when ordered, then the one with the most work in the model is first.
  std::vector<TaskState> tasks{task(3, {}, ""), task(1, {}, ""), task(2, {}, "")};
  tasks[1].work = 10'000;
  EXPECT_EQ(by_gain(tasks), (std::vector<size_t>{1, 0, 2}));
}

TEST(TaskScheduler, ATaskIsEnteredOnceTheOthersPromiseLess) {
  // Given a task that takes most of the time and one a fifth of it that was not entered, when the first has had two rounds, then it is served
  // further; when ten rounds have brought little, then the other is entered.
  std::vector<TaskState> tasks{task(5, {100, 80}), task(1, {}, "")};
  EXPECT_EQ(by_gain(tasks).front(), 0u);
  tasks[0].best_us = std::vector<double>(10, 80);
  EXPECT_EQ(by_gain(tasks).front(), 1u);
}

TEST(TaskScheduler, AKnownTimeOfBeforeJudgesATaskThatWasNotEntered) {
  // Given two tasks of equal work of which the records know that one is slow and one fast, when ordered, then the slow one is first.
  std::vector<TaskState> tasks{task(1, {}, ""), task(1, {}, ""), task(1, {}, "")};
  tasks[0].known_us = 10;
  tasks[1].known_us = 1000;
  EXPECT_EQ(by_gain(tasks), (std::vector<size_t>{1, 2, 0})) << "what is unknown is taken to be of the usual speed";
}

TEST(TaskScheduler, ATaskOfWhichNothingRunsWaitsInTheEnd) {
  // Given a heavy task without any time after eight rounds, when ordered beside a light one, then the light one is first.
  std::vector<TaskState> tasks{task(1000, std::vector<double>(8, 0)), task(1, {10, 10})};
  EXPECT_EQ(by_gain(tasks).front(), 1u);
}

TEST(TaskScheduler, FollowsWhatTheModelGains) {
  // Given tasks of equal times and histories, when one is run ten times by the model, then it is first; when the other improved lately and
  // weighs as much, then that one is.
  std::vector<TaskState> weights{task(1, {100, 90, 90}), task(10, {100, 90, 90})};
  EXPECT_EQ(by_gain(weights).front(), 1u);
  std::vector<TaskState> progress{task(1, {200, 100, 100, 100, 100}), task(1, {200, 180, 160, 130, 100})};
  EXPECT_EQ(by_gain(progress).front(), 1u);
}

TEST(TaskScheduler, HopesForWhatSimilarTasksReached) {
  // Given two tasks of equal time of which one is at half of its kind's speed and the other far ahead of its own, when ordered, then the one
  // behind is first.
  TaskState behind = task(1, {100, 100}, "tile"), twin = task(0.01, {20, 20}, "tile"),
            alone = task(1, {100, 100}, "row");
  TaskState fast_row = task(0.01, {800, 800}, "row");
  std::vector<TaskState> tasks{alone, behind, twin, fast_row};
  const Speeds speeds(tasks);
  EXPECT_GE(expected_gain_us(tasks[1], speeds), expected_gain_us(tasks[0], speeds));
  tasks[0].best_us = {100, 100, 100, 100, 100, 100};
  EXPECT_EQ(by_gain(tasks).front(), 1u);
}

TEST(TaskScheduler, StaleTasksWait) {
  // Given a task with the most of the model's time that nine rounds did not improve, when another still improves, then it is served after
  // that; alone it is served still, and not at all when it is done.
  std::vector<TaskState> tasks{task(50, std::vector<double>(10, 1000)), task(1, {30, 20, 15})};
  EXPECT_TRUE(is_stale(tasks[0]));
  EXPECT_EQ(by_gain(tasks), (std::vector<size_t>{1, 0}));
  tasks[1].done = true;
  EXPECT_EQ(by_gain(tasks), (std::vector<size_t>{0}));
}

TEST(TaskScheduler, RoundsInFlightCount) {
  // Given two equal tasks of which one has a round on the device, when ordered, then the other is first.
  std::vector<TaskState> tasks{task(1, {100, 90, 80}), task(1, {100, 90, 80})};
  tasks[0].rounds_in_flight = 1;
  EXPECT_EQ(by_gain(tasks).front(), 1u);
}

}  // namespace
}  // namespace hone::tuner
