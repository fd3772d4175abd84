#include "base/value_range.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace hone {
namespace {

// Given a range, when numbers are drawn, then all lie within it and both of its ends are neared.
TEST(ValueRange, FloatsLieWithinIt) {
  for (const ValueRange range : {ValueRange{}, ValueRange{0.25, 2.25}, ValueRange{-64, 64}}) {
    double least = range.high, greatest = range.low;
    for (uint64_t i = 0; i < 4000; i++) {
      const double value = real_at(range, 7, i);
      least = std::min(least, value);
      greatest = std::max(greatest, value);
    }
    const double margin = (range.high - range.low) / 100;
    EXPECT_TRUE(least >= range.low && least < range.low + margin) << least;
    EXPECT_TRUE(greatest <= range.high && greatest > range.high - margin) << greatest;
  }
}

TEST(ValueRange, TheFirstWholeNumberTellsSignsApart) {
  for (uint64_t seed = 0; seed < 100; seed++) {
    EXPECT_LT(whole_at({-128, 127}, seed, 0), 0);
    EXPECT_GE(whole_at({0, 255}, seed, 0), 128);
    EXPECT_EQ(whole_at({0, 1}, seed, 0), 1);
    EXPECT_EQ(whole_at({3, 3}, seed, 0), 3);
  }
}

TEST(ValueRange, NoFloatOfEitherSignIsNextToNothing) {
  int below = 0;
  for (uint64_t i = 0; i < 4000; i++) {
    const double value = real_at({-2, 2}, 5, i);
    EXPECT_GE(std::fabs(value), 0.5);
    below += value < 0;
  }
  EXPECT_TRUE(below > 1800 && below < 2200) << below;
}

// Given the ranges of types, when numbers are drawn, then small types' are all met, and of 32 bits both halves.
TEST(ValueRange, WholeNumbersMeetTheEndsOfTheirType) {
  for (const ValueRange range : {ValueRange{0, 1}, ValueRange{-128, 127}, ValueRange{0, 255}, ValueRange{3, 3}}) {
    std::vector<int64_t> drawn;
    for (uint64_t i = 0; i < 8000; i++) drawn.push_back(whole_at(range, 9, i));
    std::sort(drawn.begin(), drawn.end());
    EXPECT_EQ(static_cast<double>(drawn.front()), range.low);
    EXPECT_EQ(static_cast<double>(drawn.back()), range.high);
    EXPECT_EQ(std::unique(drawn.begin(), drawn.end()) - drawn.begin(), static_cast<int64_t>(range.high - range.low) + 1);
  }
  for (const ValueRange range : {ValueRange{-0x1p31, 0x1p31 - 1}, ValueRange{0, 0x1p32 - 1}}) {
    double least = range.high, greatest = range.low;
    for (uint64_t i = 0; i < 1000; i++) {
      const auto value = static_cast<double>(whole_at(range, 9, i));
      least = std::min(least, value);
      greatest = std::max(greatest, value);
    }
    EXPECT_TRUE(least >= range.low && greatest <= range.high);
    EXPECT_GT(greatest - least, 0.98 * 0x1p32);
  }
}

}  // namespace
}  // namespace hone
