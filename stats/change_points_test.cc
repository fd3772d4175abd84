#include "stats/change_points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "base/rng.h"
#include "stats/energy_split.h"

namespace hone::stats {
namespace {

// Steps of so many points each, with a noise of `cv`: twelve uniform numbers are nearly normal.
class StepSeries {
 public:
  explicit StepSeries(uint64_t seed, double cv = 0.02) : rng_(seed), cv_(cv) {}
  StepSeries& step(int points, double us) {
    for (int i = 0; i < points; ++i) {
      double sum = -6;
      for (int k = 0; k < 12; ++k) sum += rng_.uniform();
      series.times_us.push_back(us * (1 + cv_ * sum));
    }
    return *this;
  }
  Series series;

 private:
  Rng rng_;
  double cv_;
};

// Given a series whose times rise by 5 % once, when its change points are looked for, then there is one, where it is, as large as it is.
TEST(ChangePoints, FindsAStep) {
  const auto points = change_points(StepSeries(1).step(30, 100).step(25, 105).series).value();
  ASSERT_EQ(points.size(), 1u);
  EXPECT_NEAR(static_cast<double>(points[0].at), 30, 2);
  EXPECT_NEAR(points[0].change, 0.05, 0.015);
  EXPECT_EQ(points[0].cause, "");
  EXPECT_LT(points[0].p_value, 0.001);
}

// Given a series that rises and comes back, when its change points are looked for, then both are found, though its two halves hardly differ.
TEST(ChangePoints, OneChangeDoesNotHideAnother) {
  const auto points = change_points(StepSeries(2).step(25, 100).step(25, 110).step(25, 100).series).value();
  ASSERT_EQ(points.size(), 2u);
  EXPECT_GT(points[0].change, 0.05);
  EXPECT_LT(points[1].change, -0.05);
}

// Given changes that are too small, too near to the end, or none, when change points are looked for, then there is none.
TEST(ChangePoints, FindsNothingElse) {
  EXPECT_TRUE(change_points(StepSeries(3, 0.002).step(30, 100).step(30, 102).series)->empty());
  EXPECT_TRUE(change_points(StepSeries(4).step(40, 100).step(5, 150).series)->empty());
  EXPECT_TRUE(change_points(StepSeries(5).step(60, 100).series)->empty());
  EXPECT_TRUE(change_points(StepSeries(6, 0).step(60, 100).series)->empty());
  EXPECT_TRUE(change_points({})->empty());
}

// Given a browser's update with a change, a driver's without one, and a step of our own, when change points are looked for, then all three are said, the known
// ones with their causes.
TEST(ChangePoints, KnownChangesAreSaidApart) {
  StepSeries steps = StepSeries(7).step(20, 100).step(20, 110).step(20, 110).step(20, 121);
  steps.series.known = {{20, "browser 157"}, {40, "driver 31"}};
  const auto points = change_points(steps.series).value();
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points[0].cause, "browser 157");
  EXPECT_EQ(points[0].finding, Finding::kChanged);
  EXPECT_EQ(points[1].cause, "driver 31");
  EXPECT_EQ(points[1].finding, Finding::kUnchanged);
  EXPECT_EQ(points[2].cause, "");
  EXPECT_NEAR(static_cast<double>(points[2].at), 60, 2);
}

// Given an update a few runs ago, when change points are looked for, then it is said that there are too few points to tell.
TEST(ChangePoints, SaysWhatIsTooEarlyToTell) {
  StepSeries steps = StepSeries(8).step(30, 100).step(4, 200);
  steps.series.known = {{30, "browser 157"}};
  const auto points = change_points(steps.series).value();
  ASSERT_EQ(points.size(), 1u);
  EXPECT_EQ(points[0].finding, Finding::kTooFewPoints);
}

// Given series without a change, when 300 of them are searched, then next to none has a change point.
TEST(ChangePoints, SeriesWithoutAChangeHaveNone) {
  int found = 0;
  for (uint64_t seed = 100; seed < 400; ++seed) found += !change_points(StepSeries(seed).step(60, 100).series)->empty();
  EXPECT_LE(found, 2);
}

// Given times that no clock says, and known changes outside of the series or out of order, when change points are looked for, then it is an error.
TEST(ChangePoints, RefusesWhatIsNoSeries) {
  EXPECT_FALSE(change_points({.times_us = {1, 2, 0}}).ok());
  EXPECT_FALSE(change_points({.times_us = {1, std::numeric_limits<double>::infinity()}}).ok());
  EXPECT_FALSE(change_points({.times_us = {1, 2, 3}, .known = {{3, "browser 157"}}}).ok());
  EXPECT_FALSE(change_points({.times_us = {1, 2, 3}, .known = {{2, "browser 157"}, {1, "browser 158"}}}).ok());
  EXPECT_FALSE(change_points({.times_us = {1, 2, 3}}, {.points_min = 1}).ok());
  EXPECT_TRUE(change_points({.times_us = {1, 2, 3}, .known = {{1, "browser 157"}, {2, "browser 158"}}}).ok());
}

// Given two levels, when the place is asked for at which they part, then it is exact, and never nearer to an end than is wanted.
TEST(EnergySplit, PartsTwoLevels) {
  std::vector<double> values(20, 1);
  values.resize(33, 2);
  EXPECT_EQ(energy_split(values, 2), 20u);
  EXPECT_EQ(energy_split(values, 16), 17u);
}

}  // namespace
}  // namespace hone::stats
