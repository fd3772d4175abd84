// What scripts/bench statistics counts, on fewer replays and other seeds.
#include "bench/statistics/replay.h"

#include <gtest/gtest.h>

#include "bench/statistics/kinds.h"
#include "bench/statistics/trials.h"

namespace hone::bench {
namespace {

// Given builds that are the same, when they are compared 400 times on each kind of noise, then no more are called faster or slower than 1 % makes probable.
TEST(Replay, BuildsThatAreTheSameAreSeldomCalledOtherwise) {
  for (const NoiseTraits& noise : noise_kinds(0.02))
    EXPECT_LE(count_replays({.noise = noise}, 400, 20).wrong, 11) << noise.name;
}

// Given a difference of 3 % at a deviation of 2 %, when it is looked for on each kind of noise, then nine of ten are found, and none the wrong way.
TEST(Replay, ADifferenceIsFound) {
  for (const NoiseTraits& noise : noise_kinds(0.02)) {
    const Counts counts = count_replays({.noise = noise, .effect = 0.03}, 60, 21);
    EXPECT_GE(counts.share(counts.right), 0.9) << noise.name;
    EXPECT_EQ(counts.wrong, 0) << noise.name;
  }
}

// Given one seed, when a run is simulated twice, then its times are the same; with another seed they are not.
TEST(Replay, OneSeedIsOneRun) {
  const Scenario scenario{.noise = noise_kinds(0.02).back(), .effect = 0.03, .with_reference = true};
  const ComparisonRun first = simulate(scenario, 1), again = simulate(scenario, 1), other = simulate(scenario, 2);
  EXPECT_EQ(ratio_of_means(first), ratio_of_means(again));
  EXPECT_NE(ratio_of_means(first), ratio_of_means(other));
  EXPECT_EQ(first.blocks.size(), 30u);
  EXPECT_EQ(first.blocks[0].reference.size(), 2u);
}

}  // namespace
}  // namespace hone::bench
