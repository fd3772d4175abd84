#include "tuner/records/bias.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "base/median.h"

namespace hone::tuner {
namespace {

constexpr int kJobs = 20;      // within which a bias must be found
constexpr int kAgents = 2000;  // simulated of each kind: a share of 1 % is known to ± 0.4 % (two standard deviations)

// One agent's jobs: the first after which it counts as biased; 0 = none.
template <class Ratio>
int flagged_after(int jobs, Ratio ratio) {
  BiasTest test;
  for (int job = 1; job <= jobs; ++job) {
    test.add(ratio());
    if (test.is_biased()) return job;
  }
  return 0;
}

// The share of agents that are flagged within so many jobs. ratio(random): the log-ratio of a job.
template <class Ratio>
double share_flagged(int jobs, Ratio ratio) {
  std::mt19937_64 random(7);
  int flagged = 0;
  for (int agent = 0; agent < kAgents; ++agent) flagged += flagged_after(jobs, [&] { return ratio(random); }) > 0;
  return static_cast<double>(flagged) / kAgents;
}

// Two medians of `samples` samples of a relative deviation each, of which the device that is checked says `bias` times as much.
auto checks(double deviation, int samples, double bias) {
  return [=](std::mt19937_64& random) {
    std::normal_distribution<double> noise(0, deviation);
    const auto time = [&] {
      std::vector<double> all;
      for (int i = 0; i < samples; ++i) all.push_back(std::exp(noise(random)));
      return median(all);
    };
    return std::log(bias * time() / time());
  };
}

TEST(BiasTest, ABiasOfATenthIsFoundWithinTwentyJobs) {
  // Given devices that say 10 % less or more than another, when the samples of both scatter by 1 to 5 %, then 99 % of them are found within 20 jobs.
  for (const double deviation : {0.01, 0.03, 0.05})
    for (const double bias : {0.9, 1 / 0.9, 1.1, 1 / 1.1, 0.5, 3.0})
      EXPECT_GE(share_flagged(kJobs, checks(deviation, 3, bias)), 0.99) << deviation << ", " << bias;
}

TEST(BiasTest, HonestDevicesAreNotFoundBiased) {
  // Given honest devices, equal ones and such as differ by a quarter of what is looked for, when they are looked at after each of 200 jobs, at any
  // noise, then no more than 1 % of them are ever flagged.
  for (const double deviation : {0.001, 0.03, 0.3})
    for (const double ratio : {1.0, 1.023, 1 / 1.023})
      EXPECT_LE(share_flagged(200, checks(deviation, 1, ratio)), kFalseFlagsMax) << deviation << ", " << ratio;
}

TEST(BiasTest, OutliersFlagNobody) {
  // Given an honest device of which one time in five is up to three times too long, as beside other work, when it is looked at after each of 100 jobs, then no
  // more than 1 % are flagged.
  const auto ratio = [one = checks(0.03, 3, 1)](std::mt19937_64& random) {
    std::uniform_real_distribution<double> share(0, 1);
    const auto stalled = [&] { return share(random) < 0.2 ? std::log(1 + 2 * share(random)) : 0.0; };
    return one(random) + stalled() - stalled();
  };
  EXPECT_LE(share_flagged(100, ratio), kFalseFlagsMax);
}

TEST(BiasTest, AFewLooksTellNothing) {
  // Given ratios without any spread, as clocks of coarse steps give, when there are fewer than six, then nobody is biased; then who is off by a fifth is, and
  // who is off by a fiftieth is not.
  for (const auto& [ratio, expected] : {std::pair(1.2, 6), {1.02, 0}})
    EXPECT_EQ(flagged_after(50, [log = std::log(ratio)] { return log; }), expected);
  EXPECT_FALSE(BiasTest().is_biased());
}

}  // namespace
}  // namespace hone::tuner
