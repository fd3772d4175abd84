#include "cli/progress.h"

#include <gtest/gtest.h>

#include "cli/console.h"

namespace hone::cli {
namespace {

TEST(Progress, SaysTrialsBestRateAndTimeLeft) {
  // Given a job in the middle, when its progress is drawn, then the line has all that a waiting person asks for, and fits the columns.
  protocol::JobProgress p;
  p.phase = protocol::JobPhase::kMeasuring;
  p.task = "a task with a × in its name";
  p.trials_done = 16;
  p.trials_total = 64;
  p.best_us = 1234;
  p.trials_per_second = 3.2;
  p.left_s = 75;
  EXPECT_EQ(progress_text(p, {.columns = 200}),
            "[####------------] 1 m 15 s left  16/64 trials  best 1.23 ms  3.20 trials/s  a task with a × in "
            "its name");
  EXPECT_EQ(progress_text(p, {.columns = 38}), "[####------------] 1 m 15 s left  16/6");
}

TEST(Progress, TheBarFollowsTheTimeWhereThatIsLimited) {
  // Given a job of 20 s of which 5 are left, when its progress is drawn, then three quarters of the bar are full, however few trials there were.
  protocol::JobProgress p;
  p.phase = protocol::JobPhase::kMeasuring;
  p.trials_done = 9;
  p.trials_total = 640;
  p.left_s = 5;
  EXPECT_EQ(progress_text(p, {.columns = 80, .time_s = 20}), "[############----] 5 s left  9/640 trials  ");
}

TEST(Progress, SaysWhatItWaitsForAndForHowLong) {
  // Given a job to which nothing has come for a while, when its progress is drawn, then it says for what it waits, in the middle of the trials as
  // well as while the device is away.
  protocol::JobProgress p;
  p.phase = protocol::JobPhase::kMeasuring;
  p.task = "a task";
  p.trials_total = 64;
  p.waits_for = "the reference outputs";
  p.waited_s = 3.2;
  EXPECT_EQ(progress_text(p, {.columns = 200}), "[----------------] 0/64 trials  waiting 3 s for the reference outputs  a task");
  p.phase = protocol::JobPhase::kWaitingForDevice;
  p.waits_for = "the device";
  EXPECT_EQ(progress_text(p, {.columns = 200}), "waiting 3 s for the device");
}

protocol::JobProgress with_model_and_errors() {
  protocol::JobProgress p;
  p.phase = protocol::JobPhase::kMeasuring;
  p.task = "a task";
  p.trials_done = 16;
  p.trials_total = 64;
  p.tasks_done = 1;
  p.tasks_total = 3;
  p.best_us = 1000;
  p.naive_us = 8000;
  p.measured_us = 1500;
  p.predicted_us = 1420;
  p.errors = {{"timeout", 2}, {"wrong_output", 1}};
  return p;
}

TEST(Progress, SaysHowFarItIsFromTheYardstickWhatTheModelKnowsAndWhatFails) {
  // Given a job whose model predicts and some of whose candidates failed, when its progress is drawn, then the line has the ratio to the
  // yardstick, the last prediction beside its measurement, and the errors by kind.
  EXPECT_EQ(progress_text(with_model_and_errors(), {.columns = 200}),
            "[####------------] 16/64 trials  1/3 tasks  best 1.00 ms  timeout 2, wrong_output 1  naive/best 8.00×  "
            "last 1.50 ms, 1.42 ms predicted  a task");
}

TEST(Progress, AFailedTrialAndAMissingYardstickLeaveNoHoles) {
  // Given a last trial without a time and a task without yardstick, when the progress is drawn, then neither is named.
  protocol::JobProgress p = with_model_and_errors();
  p.measured_us.reset();
  p.naive_us.reset();
  p.errors.reset();
  EXPECT_EQ(progress_text(p, {.columns = 200}), "[####------------] 16/64 trials  1/3 tasks  best 1.00 ms  a task");
}

TEST(Progress, ColoursTakeNoColumns) {
  // Given a terminal with colours that has room for a part of the line, when it is drawn, then the letters are those without colours, the colour
  // ends, and no part is cut: what does not fit is left out, and what is shorter may still stand behind it.
  const std::string plain = progress_text(with_model_and_errors(), {.columns = 100}),
                    colored = progress_text(with_model_and_errors(), {.columns = 100, .color = true});
  EXPECT_EQ(colored.substr(colored.find("\033[33m")), "\033[33m  timeout 2, wrong_output 1\033[0m  a task");
  std::string letters = colored;
  for (const char* code : {"\033[33m", "\033[0m"}) letters.erase(letters.find(code), std::string(code).size());
  EXPECT_EQ(letters, plain);
}

TEST(Progress, SaysWhatItWaitsFor) {
  // Given a job that waits, when its progress is drawn, then the line is the service's sentence.
  protocol::JobProgress p;
  p.phase = protocol::JobPhase::kWaitingForDevice;
  p.message = "waiting for a device";
  EXPECT_EQ(progress_text(p, {.columns = 80}), "waiting for a device");
  // Whole models have no trials.
  p.phase = protocol::JobPhase::kMeasuring;
  p.message = "the model runs";
  EXPECT_EQ(progress_text(p, {.columns = 80}), "the model runs");
}

TEST(Console, TablesAlignByCharacters) {
  // Given cells with characters of several bytes, when a table is printed, then its columns stand in line.
  EXPECT_EQ(table_text({{{"a", "n"}, {"×", "10"}, {"bcd", "2"}}, {false, true}}), "a     n\n×    10\nbcd   2\n");
}

TEST(Console, ATableWiderThanTheTerminalIsStacked) {
  // Given a table that is a column too wide, when it is printed, then each first cell has a line of its own; where it fits, it has not.
  const Table table{{{"task", "n"}, {"matmul", "10"}}, {false, true}};
  EXPECT_EQ(table_text(table, 10), "task     n\nmatmul  10\n");
  EXPECT_EQ(table_text(table, 9), "task\n   n\nmatmul\n  10\n");
}

}  // namespace
}  // namespace hone::cli
