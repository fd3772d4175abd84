#include "tuner/search/creation_cost.h"

#include <gtest/gtest.h>

namespace hone::tuner {
namespace {

TEST(CreationCost, LargerKernelsTakeSoManyTimesTheUsualTime) {
  // Given kernels whose creation takes 100 ms and 2 ms for each statement, when others are proposed, then they take what the line says against the lower
  // quartile, 400 ms; no larger ones than the fastest are costly.
  CreationCost cost;
  for (int operations = 50; operations <= 400; operations += 50) cost.observe(operations, 100 + 2 * operations);
  EXPECT_EQ(cost.times_usual(100, 0), 1);
  EXPECT_NEAR(cost.times_usual(500, 0), 1100.0 / 400, 1e-9);
  EXPECT_NEAR(cost.times_usual(500, 499), 1100.0 / 400, 1e-9);
  EXPECT_EQ(cost.times_usual(500, 500), 1);
}

TEST(CreationCost, OneAccidentRulesOutNothing) {
  // Given kernels that take 300 ms, and a large one that took a quarter of an hour, when a large one is proposed, then it takes 8 times the usual time.
  CreationCost cost;
  for (int i = 0; i < 20; ++i) cost.observe(10 + 20 * i, 300);
  cost.observe(500, 1e6);
  EXPECT_EQ(cost.times_usual(500, 0), 8);
}

TEST(CreationCost, NothingIsCostlyBeforeEnoughWasSeen) {
  // Given some kernels that tell little, and unknown times, when a large kernel is proposed, then it is not costly yet.
  CreationCost cost;
  for (int i = 0; i < 7; ++i) cost.observe(100 + i, 200 + 50 * i);
  for (int i = 0; i < 9; ++i) cost.observe(100, 0);
  EXPECT_EQ(cost.times_usual(10'000, 0), 1);
}

TEST(CreationCost, WhereTheSizeTellsNothingNothingIsCostly) {
  // Given a device that takes as long for any kernel, or for smaller ones longer, or less than anybody waits for, when a large one is proposed, then it is not
  // costly.
  CreationCost level, falling, quick;
  for (int i = 0; i < 20; ++i) {
    level.observe(10 + 20 * i, 300);
    falling.observe(10 + 20 * i, 300 - i);
    quick.observe(10 + 20 * i, 1 + 0.01 * i);
  }
  EXPECT_NEAR(level.times_usual(2000, 0), 1, 1e-9);
  EXPECT_NEAR(falling.times_usual(2000, 0), 1, 0.03);
  EXPECT_EQ(quick.times_usual(2000, 0), 1);
}

}  // namespace
}  // namespace hone::tuner
