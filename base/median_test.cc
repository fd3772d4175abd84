#include "base/median.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(Median, LiesBetweenTheMiddleValues) {
  // Given values in any order, when asked for the middle, then it is the one there, or the mean of two.
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(median({}), 0);
}

TEST(Quantile, LiesBetweenNeighboursInProportion) {
  // Given values in any order, when asked for what a share lies below, then it is the value at that share of the way from the least to the
  // greatest, or between the two beside it.
  EXPECT_EQ(quantile({5, 1, 3, 2, 4}, 0), 1);
  EXPECT_EQ(quantile({5, 1, 3, 2, 4}, 1), 5);
  EXPECT_DOUBLE_EQ(quantile({5, 1, 3, 2, 4}, 0.1), 1.4);
  EXPECT_DOUBLE_EQ(quantile({5, 1, 3, 2, 4}, 0.5), 3);
  EXPECT_EQ(quantile({7}, 0.9), 7);
  EXPECT_EQ(quantile({}, 0.9), 0);
}

}  // namespace
}  // namespace hone
