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
  EXPECT_EQ(progress_text(p, 200),
            "[######------------------] 16/64 trials  best 1.23 ms  3.20 trials/s  1 m 15 s left  a task with a × in "
            "its name");
  EXPECT_EQ(progress_text(p, 30), "[######------------------] 16/");
}

TEST(Progress, SaysWhatItWaitsFor) {
  // Given a job that waits, when its progress is drawn, then the line is the service's sentence.
  protocol::JobProgress p;
  p.phase = protocol::JobPhase::kWaitingForDevice;
  p.message = "waiting for a device";
  EXPECT_EQ(progress_text(p, 80), "waiting for a device");
}

TEST(Console, NumbersHaveThreeDigits) {
  // Given numbers of any size, when they are printed for people, then three digits count.
  EXPECT_EQ(number_text(0.0012345), "0.00123");
  EXPECT_EQ(number_text(1.2345), "1.23");
  EXPECT_EQ(number_text(123.45), "123");
  EXPECT_EQ(number_text(12345.6), "12346");
  EXPECT_EQ(number_text(0), "0");
}

TEST(Console, TablesAlignByCharacters) {
  // Given cells with characters of several bytes, when a table is printed, then its columns stand in line.
  EXPECT_EQ(table_text({{{"a", "n"}, {"×", "10"}, {"bcd", "2"}}, {false, true}}), "a     n\n×    10\nbcd   2\n");
}

}  // namespace
}  // namespace hone::cli
