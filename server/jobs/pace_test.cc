#include "server/jobs/pace.h"

#include <gtest/gtest.h>

namespace hone::server {
namespace {

TEST(Pace, IsThatOfTheLastSeconds) {
  // Given 10 trials in the first second and 2 in each of the twenty after, when the pace is asked, then it is 2 a second, and 30
  // more take 15 s.
  Pace pace;
  pace.note(0, 0);
  for (int s = 1; s <= 21; ++s) pace.note(s, 8 + 2 * s);
  EXPECT_DOUBLE_EQ(pace.trials_per_second(), 2);
  EXPECT_DOUBLE_EQ(pace.left_s(30, 0), 15);
}

TEST(Pace, WhatIsLeftEndsWithTheTrialsOrWithTheTime) {
  // Given 20 trials in the first 10 s, when what is left is asked, then it is what the open trials take at that pace, no more than the limit
  // leaves, and nothing once all trials are in, however much of the limit is unused.
  Pace pace;
  pace.note(0, 0);
  pace.note(10, 20);
  EXPECT_DOUBLE_EQ(pace.left_s(4, 16), 2);
  EXPECT_DOUBLE_EQ(pace.left_s(100, 16), 6);
  EXPECT_DOUBLE_EQ(pace.left_s(100, 9), 0);
  EXPECT_DOUBLE_EQ(pace.left_s(0, 900), 0);
}

TEST(Pace, BeforeTheFirstTrialsTheLimitIsAllThatIsKnown) {
  // Given no trial yet, when pace and rest are asked, then there is no pace, and the rest is the limit's where there is one.
  Pace pace;
  EXPECT_DOUBLE_EQ(pace.left_s(64, 0), 0);
  pace.note(1, 0);
  EXPECT_DOUBLE_EQ(pace.trials_per_second(), 0);
  EXPECT_DOUBLE_EQ(pace.left_s(64, 0), 0);
  EXPECT_DOUBLE_EQ(pace.left_s(64, 900), 899);
}

}  // namespace
}  // namespace hone::server
