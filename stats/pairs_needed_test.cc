#include "stats/pairs_needed.h"

#include <gtest/gtest.h>

#include <cmath>

#include "stats/regression.h"

namespace hone::stats {
namespace {

// Given noise and an effect, when a comparison is planned, then it takes about 30 (cv / effect)² pairs, and never fewer than ten.
TEST(PairsNeeded, PlansAhead) {
  EXPECT_NEAR(pairs_for({.cv = 0.03, .effect = 0.01}).value(), 270, 3);
  EXPECT_EQ(pairs_for({.cv = 0.001, .effect = 0.05}).value(), 10);
  EXPECT_FALSE(pairs_for({.cv = 0, .effect = 0.01}).ok());
  EXPECT_FALSE(pairs_for({.cv = 0.01, .effect = 0.01, .power = 1}).ok());
}

// Blocks of two quads each, whose log-ratios lie evenly within `noise` to either side of that of `ratio`.
Comparison after(int blocks, double noise, double ratio) {
  Comparison one = Comparison::make({}).value();
  for (int i = 0; i < blocks; ++i) {
    const double new_us = ratio * std::exp(noise * (blocks == 1 ? 0 : 2.0 * i / (blocks - 1) - 1));
    const Quad quad{{1, new_us}, {1, new_us}};
    EXPECT_TRUE(one.add({.quads = {quad, quad}}).ok());
  }
  return one;
}

// Given a comparison under way, when its noise doubles, then it needs four times the pairs; where nothing is known yet, infinitely many.
TEST(PairsNeeded, GrowWithTheSquareOfTheNoise) {
  const double calm = pairs_needed(after(8, 0.05, 1.03)), restless = pairs_needed(after(8, 0.1, 1.03));
  EXPECT_GT(calm, 32);
  EXPECT_NEAR(restless / calm, 4, 1e-9);
  EXPECT_TRUE(std::isinf(pairs_needed(after(1, 0.05, 1.03))));
}

// Given a comparison that knows its answer, when it is asked how many pairs that takes, then it is those that are there.
TEST(PairsNeeded, AreThereWhenItIsDecided) {
  const Comparison decided = after(15, 0.01, 1.05);
  ASSERT_EQ(decided.result().verdict, Verdict::kSlower);
  EXPECT_EQ(pairs_needed(decided), 60);
}

// Given an interval of the log-ratio, when it lies beyond what is permitted, within it, or on both sides, then the answer is yes, no, or that it is not known.
TEST(Regression, IsToldByTheWholeInterval) {
  EXPECT_EQ(is_slower_by(0.03, {std::log(1.031), std::log(1.06)}), Answer::kYes);
  EXPECT_EQ(is_slower_by(0.03, {std::log(0.98), std::log(1.029)}), Answer::kNo);
  EXPECT_EQ(is_slower_by(0.03, {std::log(1.01), std::log(1.05)}), Answer::kUnknown);
  EXPECT_EQ(is_slower_by(0.03, {}), Answer::kUnknown);
}

}  // namespace
}  // namespace hone::stats
