// What scripts/bench statistics counts, on fewer replays and other seeds.
#include "bench/statistics/replay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bench/statistics/kinds.h"
#include "bench/statistics/trials.h"
#include "stats/across_devices.h"
#include "stats/many_cases.h"

namespace hone::bench {
namespace {

// The new build is the slower one.
ComparisonRun run_of(const Scenario& scenario, uint64_t seed) {
  ComparisonRun run = simulate(scenario, seed);
  while (!run.new_is_slower) run = simulate(scenario, seed += 1000);
  return run;
}

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

// Given builds that differ by 3 %, when they are compared 400 times beside all that a device does, then the interval leaves the truth out no more often than 1
// % makes probable, though each comparison stops when it likes what it sees.
TEST(Replay, IntervalsHaveTheTruthInThem) {
  int outside = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const ComparisonRun run = simulate({.noise = noise_kinds(0.02).back(), .effect = 0.03}, 1000 + seed);
    outside += !judge(run).log_ratio_interval.contains(run.new_is_slower ? std::log(1.03) : -std::log(1.03));
  }
  EXPECT_LE(outside, 11);
}

// Given twenty suites of thirty builds that are the same, when each suite is judged as a family, then next to none has a case that is called faster or slower.
TEST(Replay, SuitesOfTheSameAreSeldomCalledOtherwise) {
  int suites = 0;
  for (uint64_t suite = 0; suite < 20; ++suite) {
    std::vector<stats::ComparisonResult> results;
    for (uint64_t one = 0; one < 30; ++one)
      results.push_back(judge(simulate({.noise = noise_kinds(0.02)[0]}, 100 * suite + one)));
    const auto verdicts = stats::family_verdicts(results, 0.01);
    suites += std::any_of(verdicts.begin(), verdicts.end(),
                          [](auto v) { return v == stats::Verdict::kFaster || v == stats::Verdict::kSlower; });
  }
  EXPECT_LE(suites, 2);
}

// Given one seed, when a run is simulated twice, then its times are the same; with another seed they are not.
TEST(Replay, OneSeedIsOneRun) {
  const Scenario scenario{.noise = noise_kinds(0.02).back(), .effect = 0.03, .with_reference = true};
  const ComparisonRun first = simulate(scenario, 1), again = simulate(scenario, 1), other = simulate(scenario, 2);
  EXPECT_EQ(means_of(first).new_build, means_of(again).new_build);
  EXPECT_NE(means_of(first).new_build, means_of(other).new_build);
  EXPECT_EQ(first.blocks.size(), 30u);
  EXPECT_EQ(first.blocks[0].reference.size(), 2u);
}

// Given three classes of two devices each, all as restless as they come, when a build is four times as slow on one class, then that class is named, and no
// other; the mean of all devices is too unsure for a verdict.
TEST(Replay, TheClassThatDiffersIsNamed) {
  std::vector<stats::DeviceEffect> devices;
  uint64_t seed = 30;
  for (const std::string name : {"apple", "apple", "intel", "intel", "nvidia", "nvidia"}) {
    const auto result = judge(run_of({.noise = noise_kinds(0.02)[7], .effect = name == "intel" ? 3.0 : 0.0}, ++seed));
    devices.push_back({.device = name,
                       .device_class = name,
                       .log_ratio = result.log_ratio,
                       .standard_error = result.standard_error,
                       .degrees = result.blocks - 1.0});
  }
  const auto classes = stats::class_effects(devices, 0.01, 0.005);
  ASSERT_TRUE(classes.ok());
  for (const stats::ClassEffect& one : *classes)
    EXPECT_EQ(one.differs, one.device_class == "intel") << one.device_class;
  EXPECT_NEAR((*classes)[1].log_ratio, std::log(4), 0.05);
  EXPECT_TRUE(stats::mean_effect(devices, 0.01)->interval.contains(0));
}

}  // namespace
}  // namespace hone::bench
