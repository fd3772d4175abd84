#include "base/histogram.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(Histogram, EachValueIsInOneBucket) {
  // Given values below, on, between and beyond the bounds, when they are observed, then each is counted in the first bucket whose bound is not less,
  // or behind the last, and the sum has all.
  Histogram histogram;
  for (double value : {0.0, kSecondsBounds[0], 0.0006, 100.0}) histogram.observe(value);
  EXPECT_EQ(histogram.counts()[0], 2u);
  EXPECT_EQ(histogram.counts()[1], 1u);
  EXPECT_EQ(histogram.counts().back(), 1u);
  EXPECT_DOUBLE_EQ(histogram.sum(), kSecondsBounds[0] + 0.0006 + 100);
}

}  // namespace
}  // namespace hone
