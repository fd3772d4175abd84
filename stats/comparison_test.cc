#include "stats/comparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/rng.h"
#include "stats/alpha_spending.h"
#include "stats/limits.h"

namespace hone::stats {
namespace {

// Times of a device whose noise is even, to `noise` on either side, as a share.
class Device {
 public:
  explicit Device(uint64_t seed, double noise = 0.01) : rng_(seed), noise_(noise) {}
  double time_us(double true_us) { return true_us * (1 + noise_ * (2 * rng_.uniform() - 1)); }
  Quad quad(double old_us, double new_us) {
    return {{time_us(old_us), time_us(new_us)}, {time_us(old_us), time_us(new_us)}};
  }
  Block block(double old_us, double new_us) { return {.quads = {quad(old_us, new_us), quad(old_us, new_us)}}; }

 private:
  Rng rng_;
  double noise_;
};

Comparison comparison(const ComparisonRule& rule = {}) { return Comparison::make(rule).value(); }

ComparisonResult decide(Device& device, double old_us, double new_us, const ComparisonRule& rule = {}) {
  Comparison one = comparison(rule);
  while (one.result().verdict == Verdict::kMorePairs) EXPECT_TRUE(one.add(device.block(old_us, new_us)).ok());
  return one.result();
}

// Given builds that differ by 3 %, when they are compared, then the slower one is found before the last look, and the interval has the truth in it.
TEST(Comparison, FindsTheFasterAndTheSlower) {
  Device device(1);
  const ComparisonResult slower = decide(device, 100, 103), faster = decide(device, 103, 100);
  EXPECT_EQ(slower.verdict, Verdict::kSlower);
  EXPECT_EQ(faster.verdict, Verdict::kFaster);
  EXPECT_LT(slower.pairs, 120);
  EXPECT_TRUE(slower.log_ratio_interval.contains(std::log(1.03)));
  EXPECT_LE(slower.p_value, 0.01);
}

// Given builds that are the same on a calm device, when they are compared, then they are called so; on a restless one the comparison ends without a verdict.
TEST(Comparison, TellsTheSameFromTheUnknown) {
  Device calm(2, 0.002), restless(3, 0.1);
  EXPECT_EQ(decide(calm, 50, 50).verdict, Verdict::kSame);
  const ComparisonResult unknown = decide(restless, 50, 50);
  EXPECT_EQ(unknown.verdict, Verdict::kInconclusive);
  EXPECT_EQ(unknown.pairs, 120);
  EXPECT_TRUE(unknown.is_last_look);
}

// Given builds that surely differ, by less than the minimum effect, when they are compared, then they are the same; with a smaller minimum they are not.
TEST(Comparison, ADifferenceBelowTheMinimumIsNone) {
  Device device(4, 0.0005);
  EXPECT_EQ(decide(device, 100, 100.2).verdict, Verdict::kSame);
  EXPECT_EQ(decide(device, 100, 100.2, {.minimum_effect = 0.001}).verdict, Verdict::kSlower);
}

// Given builds that surely differ by more than the minimum effect and less than what is the same, when they are compared, then they differ; where that is not sure, they are the same.
TEST(Comparison, WhatSurelyDiffersIsNotTheSame) {
  Device device(8, 0.0005), restless(9, 0.012);
  EXPECT_EQ(decide(device, 100, 100.7).verdict, Verdict::kSlower);
  EXPECT_EQ(decide(restless, 100, 100.1).verdict, Verdict::kSame);
}

// Given a reference kernel that seems to differ from itself by more than the builds do, when they are compared, then neither is faster; where it does not, one
// is.
TEST(Comparison, TheReferenceKernelTellsWhatTheDeviceDoes) {
  for (const double apparent : {1.02, 1.0}) {
    Device device(5);
    Comparison one = comparison();
    for (int i = 0; i < 30; ++i) {
      Block block = device.block(100, 101);
      block.reference = {device.quad(10, 10 * apparent)};
      ASSERT_TRUE(one.add(block).ok());
    }
    EXPECT_EQ(one.result().verdict, apparent == 1 ? Verdict::kSlower : Verdict::kInconclusive);
    EXPECT_NEAR(one.result().reference_effect, std::log(apparent), 0.005);
  }
}

// Given a drift that slows everything, when a quad is taken in it, then its two pairs err by the same to either side, and the builds are the same.
TEST(Comparison, AnEvenDriftCancels) {
  Comparison one = comparison({.minimum_effect = 0.001});
  for (int i = 0; i < 60; ++i) {
    const auto at = [&](int place) { return 100 * std::exp(0.001 * (4 * i + place)); };
    ASSERT_TRUE(one.add({.quads = {{{at(0), at(1)}, {at(3), at(2)}}}}).ok());
  }
  EXPECT_EQ(one.result().verdict, Verdict::kSame);
  EXPECT_NEAR(one.result().log_ratio, 0, 1e-12);
}

// Given times that no clock says, blocks without any, and blocks with a reference kernel beside some without, when they are added, then each is an error and
// nothing has changed; a sound one is taken.
TEST(Comparison, RefusesWhatIsNoMeasurement) {
  Device device(6);
  Comparison one = comparison();
  ASSERT_TRUE(one.add(device.block(1, 1)).ok());
  for (const double bad :
       {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(one.add({.quads = {{{1, 1}, {bad, 1}}}}).error().code, ErrorCode::kInvalidArgument) << bad;
    EXPECT_EQ(one.add({.quads = {{{1, bad}, {1, 1}}}}).error().code, ErrorCode::kInvalidArgument) << bad;
  }
  EXPECT_EQ(one.add({}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(one.add({.quads = {device.quad(1, 1)}, .reference = {device.quad(1, 1)}}).error().code,
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(one.add({.quads = std::vector<Quad>(kQuadsPerBlockMax + 1, device.quad(1, 1))}).error().code,
            ErrorCode::kLimitExceeded);
  EXPECT_EQ(one.pairs(), 4);
  EXPECT_TRUE(one.add(device.block(1, 1)).ok());
  EXPECT_EQ(one.pairs(), 8);
}

// Given rules out of their ranges, when a comparison is made, then it is an error; with the usual ones it is none.
TEST(Comparison, RefusesRulesThatMakeNoSense) {
  EXPECT_FALSE(Comparison::make({.alpha = 0}).ok());
  EXPECT_FALSE(Comparison::make({.alpha = 1}).ok());
  EXPECT_FALSE(Comparison::make({.minimum_effect = 0}).ok());
  EXPECT_FALSE(Comparison::make({.minimum_effect = 0.02, .same_within = 0.01}).ok());
  EXPECT_FALSE(Comparison::make({.looks_pairs = {}}).ok());
  EXPECT_FALSE(Comparison::make({.looks_pairs = {30, 10}}).ok());
  EXPECT_FALSE(Comparison::make({.looks_pairs = {0, 10}}).ok());
  EXPECT_TRUE(Comparison::make({}).ok());
}

// Given a block that passes two looks at once, when it is added, then there is one look; after the last one none.
TEST(Comparison, LooksOnceAtTheEndOfABlock) {
  Device device(7);
  Comparison one = comparison();
  ASSERT_TRUE(one.add({.quads = std::vector<Quad>(20, device.quad(1, 1))}).ok());
  EXPECT_EQ(one.result().pairs, 40);
  EXPECT_TRUE(std::isinf(one.result().log_ratio_interval.high));
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(one.add(device.block(1, 1)).ok());
  EXPECT_EQ(one.pairs(), 160);
  EXPECT_EQ(one.result().pairs, 120);
}

// Given the whole of a comparison, when its looks are summed up, then they have spent all of alpha, and more pairs than planned spend no more.
TEST(AlphaSpending, SpendsAllAtTheEnd) {
  EXPECT_EQ(spent_share(0), 0);
  EXPECT_NEAR(spent_share(0.25), 0.3573, 1e-4);
  EXPECT_DOUBLE_EQ(spent_share(1), 1);
  EXPECT_DOUBLE_EQ(spent_share(1.5), 1);
}

}  // namespace
}  // namespace hone::stats
