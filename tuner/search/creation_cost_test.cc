#include "tuner/search/creation_cost.h"

#include <gtest/gtest.h>

namespace hone::tuner {
namespace {

TEST(CreationCost, WhatTakesHalfAsLongAgainAsUsualIsCostly) {
  // Given kernels whose creation takes 100 ms and 2 ms for each statement, when one is proposed, then it is costly from 1.5 times the usual time on; no
  // larger ones than the fastest are.
  CreationCost cost;
  for (int statements = 50; statements <= 400; statements += 50) cost.observe(statements, 100 + 2 * statements);
  EXPECT_FALSE(cost.is_costly(200, 0));
  EXPECT_TRUE(cost.is_costly(500, 0));
  EXPECT_TRUE(cost.is_costly(500, 499));
  EXPECT_FALSE(cost.is_costly(500, 500));
}

TEST(CreationCost, NothingIsCostlyBeforeEnoughWasSeen) {
  // Given some kernels that tell little, and unknown times, when a large kernel is proposed, then it is not costly yet.
  CreationCost cost;
  for (int i = 0; i < 7; ++i) cost.observe(100 + i, 200 + 50 * i);
  for (int i = 0; i < 9; ++i) cost.observe(100, 0);
  EXPECT_FALSE(cost.is_costly(10'000, 0));
}

TEST(CreationCost, WhereTheSizeTellsNothingNothingIsCostly) {
  // Given a device that takes as long for any kernel, or less than anybody waits for, when a large one is proposed, then it is not costly.
  CreationCost level, quick;
  for (int i = 0; i < 20; ++i) {
    level.observe(10 + 20 * i, 300 + (i % 2));
    quick.observe(10 + 20 * i, 1 + 0.1 * i);
  }
  EXPECT_FALSE(level.is_costly(2000, 0));
  EXPECT_FALSE(quick.is_costly(2000, 0));
}

}  // namespace
}  // namespace hone::tuner
