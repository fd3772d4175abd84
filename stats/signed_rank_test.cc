#include "stats/signed_rank.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hone::stats {
namespace {

// Given five values, when all of them lie above 0, then p is 2 / 2^5, as in tables of the signed rank; with the least one below 0, 2 · 2 / 2^5.
TEST(SignedRank, HasTheExactProbabilities) {
  EXPECT_DOUBLE_EQ(SignedRank(std::vector<double>{1, 2, 3, 4, 5}).p_value(), 2.0 / 32);
  EXPECT_DOUBLE_EQ(SignedRank(std::vector<double>{-1, 2, 3, 4, 5}).p_value(), 4.0 / 32);
  EXPECT_DOUBLE_EQ(SignedRank(std::vector<double>{-5, -4, 1, 2, 3}).p_value(),
                   2 * 13.0 / 32);  // 13 of 32 sets of ranks have a sum up to 6
}

// Given the differences of Hollander and Wolfe's example 3.1 (depression factors of nine patients), when they are looked at, then the estimate, the interval at
// 96.1 %, and the two-sided p are the book's.
TEST(SignedRank, IsTheBooks) {
  const SignedRank ranks(std::vector<double>{-0.952, 0.147, -1.022, -0.430, -0.620, -0.590, -0.490, 0.080, -0.010});
  EXPECT_NEAR(ranks.estimate(), -0.46, 1e-9);
  EXPECT_NEAR(ranks.p_value(), 2 * 0.019531, 1e-6);
  EXPECT_NEAR(ranks.interval(0.04).low, -0.786, 1e-9);
  EXPECT_NEAR(ranks.interval(0.04).high, -0.01, 1e-9);
}

// Given any values, when an interval leaves 0 out, then p is at most its alpha, and the other way round.
TEST(SignedRank, IntervalAndProbabilityAgree) {
  const SignedRank ranks(std::vector<double>{0.3, -0.1, 0.8, 0.4, 0.2, 0.9, -0.3, 0.5, 0.7, 0.6});
  for (double alpha : {0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5})
    EXPECT_EQ(!ranks.interval(alpha).contains(0), ranks.p_value() <= alpha) << alpha;
}

// Given fewer values than alpha needs, when the interval is asked for, then it is infinite; with one more it is from the least to the greatest.
TEST(SignedRank, TellsNothingOfTooFewValues) {
  const std::vector<double> values{1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5};
  EXPECT_TRUE(std::isinf(SignedRank(std::span(values).first(7)).interval(0.01).low));
  EXPECT_EQ(SignedRank(values).interval(0.01).low, 1);
  EXPECT_EQ(SignedRank(values).interval(0.01).high, 4.5);
}

// Given equal values, as of a coarse clock, when half of them are 0, then no p says that they differ from it.
TEST(SignedRank, EqualValuesSpeakForNoDifference) {
  EXPECT_EQ(SignedRank(std::vector<double>{0, 0, 0, 0, 0, 0}).p_value(), 1);
  EXPECT_GT(SignedRank(std::vector<double>{0, 0, 0, 1, 1, 1, 1}).p_value(), 0.2);
}

// Given twenty values, when two of them are far off, then the estimate and its error hardly move.
TEST(SignedRank, OutliersHardlyMatter) {
  std::vector<double> values;
  for (int i = 0; i < 20; ++i) values.push_back(0.01 * (i - 9.5));
  const SignedRank before(values);
  values[18] = 70;
  values[19] = 70;
  const SignedRank after(values);
  EXPECT_NEAR(after.estimate(), before.estimate(), 0.01);
  EXPECT_LT(after.standard_error(), 1.2 * before.standard_error());
}

}  // namespace
}  // namespace hone::stats
