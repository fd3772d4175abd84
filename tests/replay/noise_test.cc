// What a sequential test makes of real noise: noise.chromium.json holds attempts of searches on one machine, each with its samples and with what the agent's
// reference kernel took beside it, for half of the time beside other work.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>
#include <vector>

#include "base/json_text.h"
#include "base/median.h"
#include "tuner/records/bias.h"

namespace hone::replay {
namespace {

constexpr int kJobs = 20;       // within which a bias must be found
constexpr int kAgents = 1000;   // simulated of each kind
constexpr int kLooks = 200;     // at an honest one
constexpr double kApart = 1.1;  // samples further apart are measured again (browser-agent/src/core/agreement.ts)

using Samples = std::vector<double>;  // relative to their median

std::vector<Samples> recorded(double apart_max) {
  std::ifstream file(HONE_REPLAY_FILES "/noise.chromium.json");
  std::stringstream text;
  text << file.rdbuf();
  const auto json = parse_json(text.str());
  std::vector<Samples> all;
  if (!json.ok()) return all;
  for (const auto& attempt : (*json)["attempts"]) {
    Samples samples = attempt["samples_us"].get<Samples>();
    const double middle = median(samples);
    for (double& us : samples) us /= middle;
    const auto [least, most] = std::minmax_element(samples.begin(), samples.end());
    if (*most <= *least * apart_max) all.push_back(std::move(samples));
  }
  return all;
}

// Jobs in which two devices measure some kernels each, three samples of each, one of them with a bias.
class Pair {
 public:
  Pair(std::vector<Samples> noise, int kernels, double bias) : noise_(std::move(noise)), kernels_(kernels), bias_(bias) {}
  double share_flagged(int jobs) {
    int flagged = 0;
    for (int agent = 0; agent < kAgents; ++agent) flagged += is_flagged(jobs);
    return static_cast<double>(flagged) / kAgents;
  }

 private:
  bool is_flagged(int jobs) {
    tuner::BiasTest test;
    for (int job = 0; job < jobs; ++job) {
      test.add(ratio_of_job());
      if (test.is_biased()) return true;
    }
    return false;
  }
  double ratio_of_job() {
    std::vector<double> ratios;
    for (int i = 0; i < kernels_; ++i) ratios.push_back(std::log(bias_ * time() / time()));
    return median(ratios);
  }
  double time() {
    const Samples& attempt = noise_[random_() % noise_.size()];
    return median({drawn(attempt), drawn(attempt), drawn(attempt)});
  }
  double drawn(const Samples& samples) { return samples[random_() % samples.size()]; }

  const std::vector<Samples> noise_;
  const int kernels_;
  const double bias_;
  std::mt19937_64 random_{5};
};

TEST(RecordedNoise, ABiasOfATenthIsFoundWithinTwentyJobs) {
  // Given the noise of attempts whose samples agreed within a tenth, when an agent says a tenth less or more of one kernel in each job, then 99 % are found within 20
  // jobs; with all attempts, other work beside them, of eight kernels in each job.
  const std::vector<Samples> calm = recorded(kApart), all = recorded(1e9);
  ASSERT_GE(calm.size(), 50u);
  ASSERT_GE(all.size(), 150u);
  for (const double bias : {0.9, 1.1}) {
    EXPECT_GE(Pair(calm, 1, bias).share_flagged(kJobs), 0.99) << bias;
    EXPECT_GE(Pair(all, 8, bias).share_flagged(kJobs), 0.99) << bias;
  }
}

TEST(RecordedNoise, HonestDevicesAreNotFoundBiased) {
  // Given the same noise, when honest devices are looked at after each of 200 jobs, then no more than 1 % are ever flagged.
  for (const double apart_max : {kApart, 1e9})
    for (const int kernels : {1, 8})
      EXPECT_LE(Pair(recorded(apart_max), kernels, 1).share_flagged(kLooks), tuner::kFalseFlagsMax) << apart_max << ", " << kernels;
}

}  // namespace
}  // namespace hone::replay
