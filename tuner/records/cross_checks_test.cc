#include "tuner/records/cross_checks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/cat.h"
#include "tuner/records/either_store.h"

namespace hone::tuner {
namespace {

// A device of a farm, and what it makes of times.
struct Device {
  std::string name;
  double bias = 1;
  bool trusted = false;
  double speed = 1;  // its reference kernel tells of it
};

// Jobs on a class of devices: in each one device finds a kernel, and another checks it.
class Farm {
 public:
  explicit Farm(std::vector<Device> devices) : devices_(std::move(devices)) {}

  void job(size_t finder, size_t checker) {
    const int number = ++jobs_;
    const double true_us = 50 + number;
    for (int task = 0; task < 3; ++task) {
      checks_.push_back({said(devices_[finder], number, true_us), said(devices_[checker], number, true_us)});
      checks_.back().check.origin = Origin::kCheck;
    }
  }
  // Everybody finds and checks in turn.
  void jobs(int count) {
    for (int i = 0; i < count; ++i) {
      const size_t finder = static_cast<size_t>(i) % devices_.size();
      job(finder, (finder + 1 + static_cast<size_t>(i) / devices_.size() % (devices_.size() - 1)) % devices_.size());
    }
  }
  std::vector<std::string> biased() const {
    std::vector<std::string> names;
    for (const Bias& bias : find_biased(checks_)) names.push_back(bias.device);
    return names;
  }
  std::vector<CrossCheck>& checks() { return checks_; }

 private:
  Record said(const Device& device, int number, double true_us) {
    Record r;
    r.job_id = cat("tune-", number);
    r.agent = cat("agent of ", device.name);
    r.enrolment = cat("token of ", device.name);
    r.device = device.name;
    r.trusted = device.trusted;
    r.latency_us_median = true_us * device.bias * device.speed * std::exp(noise_(random_));
    r.reference_us = 10 * device.speed;
    r.recorded_unix_ms = number;
    return r;
  }

  const std::vector<Device> devices_;
  std::vector<CrossCheck> checks_;
  int jobs_ = 0;
  std::mt19937_64 random_{3};
  std::normal_distribution<double> noise_{0, 0.02};
};

using Names = std::vector<std::string>;

TEST(FindBiased, ATrustedDeviceFindsALiarWithinTwentyJobs) {
  // Given a canary and an agent that says a tenth less than it measures, when the canary has checked 20 of its jobs, then it alone is found; so is one that
  // says a tenth more of what it checks, and an honest one is not.
  for (const auto& [bias, expected] : {std::pair(0.9, Names{"phone"}), {1.1, Names{"phone"}}, {1.0, Names{}}}) {
    Farm farm({{"canary", 1, true}, {"phone", bias}});
    for (int i = 0; i < 20; ++i) bias < 1 ? farm.job(1, 0) : farm.job(0, 1);
    EXPECT_EQ(farm.biased(), expected) << bias;
  }
}

TEST(FindBiased, OfTwoStrangersNobodyKnowsWhichLies) {
  // Given two devices of which one lies, when they have checked each other a hundred times, then neither is found; a third one that is honest tells which.
  Farm two({{"a"}, {"liar", 0.8}});
  two.jobs(100);
  EXPECT_EQ(two.biased(), Names{});
  Farm three({{"a"}, {"liar", 0.8}, {"b"}});
  three.jobs(60);
  EXPECT_EQ(three.biased(), Names{"liar"});
}

TEST(FindBiased, SeveralLiarsAreFoundOneByOne) {
  // Given a farm of five devices, two of which lie in different ways, when they check each other, then these two are found and nobody else.
  Farm farm({{"a"}, {"fast", 0.7}, {"b"}, {"slow", 1.6}, {"c"}});
  farm.jobs(400);
  Names found = farm.biased();
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, (Names{"fast", "slow"}));
}

TEST(FindBiased, ASlowOrHotDeviceIsNoLiar) {
  // Given an honest device that is half as fast as the others for all its work, when they check each other, then nobody is found.
  Farm farm({{"a"}, {"hot", 1, false, 2}, {"b"}, {"canary", 1, true}});
  farm.jobs(200);
  EXPECT_EQ(farm.biased(), Names{});
}

TEST(FindBiased, WhatIsDoubtedAlreadyIsNotHeldAgainstADeviceAgain) {
  // Given a device that was found, when its attempts are doubted, then it is not found by them again; what it says afterwards counts anew, and its latest
  // agreement is known.
  Farm farm({{"canary", 1, true}, {"phone", 0.8}});
  for (int i = 0; i < 20; ++i) farm.job(1, 0);
  ASSERT_EQ(farm.biased(), Names{"phone"});
  for (CrossCheck& one : farm.checks()) one.first.doubted = true;
  EXPECT_EQ(farm.biased(), Names{});
  for (int i = 0; i < 20; ++i) farm.job(1, 0);
  EXPECT_EQ(farm.biased(), Names{"phone"});
  farm.checks()[70].first.latency_us_median = farm.checks()[70].check.latency_us_median;
  EXPECT_EQ(find_biased(farm.checks()).front().agreed_unix_ms, farm.checks()[70].check.recorded_unix_ms);
}

struct CrossChecksTest : EitherStore {
  static Record by(const std::string& name, uint64_t source, double us, int attempt, Origin origin) {
    Record r = record(source, us, attempt);
    r.agent = cat("agent of ", name);
    r.enrolment = cat("token of ", name);
    r.device = name;
    r.origin = origin;
    r.lease_id = "lease-1";
    r.recorded_unix_ms = 1000 + attempt;
    return r;
  }
};

INSTANTIATE_BOTH(CrossChecksTest);

TEST_P(CrossChecksTest, ACheckIsPairedWithTheBestFoundedTimeOfAnother) {
  // Given a kernel that one device measured with three samples, then with five, and that another checked, and one that only its own device checked, when the
  // cross checks are read, then there is one, of the five samples.
  // When the first device repeats its time in the job of the check, then there is a second one, of the two checks.
  auto store = open();
  Record more = by("a", 1, 20, 1, Origin::kRecheck);
  more.samples_us = {20, 21, 22, 23, 24};
  store->insert(by("a", 1, 10, 0, Origin::kSearch));
  store->insert(more);
  store->insert(by("b", 1, 30, 2, Origin::kCheck));
  store->insert(by("a", 2, 30, 0, Origin::kSearch));
  store->insert(by("a", 2, 30, 1, Origin::kCheck));
  ASSERT_TRUE(store->flush().ok());
  const auto checks = store->cross_checks(kDevice).value();
  ASSERT_EQ(checks.size(), 1u);
  EXPECT_EQ(checks[0].first.attempt, 1);
  EXPECT_EQ(checks[0].check.device, "b");
  EXPECT_NEAR(log_ratio(checks[0]), std::log(31.0 / 21), 1e-9);
  EXPECT_TRUE(checks[0].of_best);
  EXPECT_EQ(store->cross_checks("device-b")->size(), 0u);
  store->insert(by("a", 1, 25, 3, Origin::kCheck));
  ASSERT_TRUE(store->flush().ok());
  const auto both = store->cross_checks(kDevice).value();
  ASSERT_EQ(both.size(), 2u);
  EXPECT_FALSE(both[1].of_best);
  EXPECT_NEAR(log_ratio(both[1]), std::log(26.0 / 31), 1e-9);
}

TEST_P(CrossChecksTest, DoubtedTimesCountWhereAnotherDeviceConfirmsThem) {
  // Given three kernels of a device, the second before the moment from which on it is doubted, the third confirmed by another device, when it is doubted,
  // then the first is refuted, the others are not, and the best is another one's; doubting again marks nothing.
  auto store = open();
  store->insert(by("a", 1, 10, 1, Origin::kSearch));
  store->insert(by("a", 2, 30, 0, Origin::kSearch));
  store->insert(by("a", 3, 20, 1, Origin::kSearch));
  store->insert(by("b", 3, 20, 2, Origin::kCheck));
  ASSERT_TRUE(store->flush().ok());
  EXPECT_EQ((*store->best_for(kTask, kDevice))->source_hash.lo, 1u);
  const Doubt doubt{"token of a", "a", 1000};
  EXPECT_EQ(store->doubt(doubt).value(), 2);
  EXPECT_EQ(store->doubt(doubt).value(), 0);
  const auto best = *store->best_for(kTask, kDevice);
  EXPECT_EQ(best->source_hash.lo, 3u);
  EXPECT_EQ(best->standing, Standing::kUnconfirmed) << "b's word, which nobody else repeats but a";
  std::map<uint64_t, Standing> standing;
  for (uint64_t source : {1, 2}) standing[source] = (*store->known_trial(kTask, kDevice, {7, source}))->outcome == ErrorCode::kOk ? Standing::kUnconfirmed : Standing::kRefuted;
  EXPECT_EQ(standing, (std::map<uint64_t, Standing>{{1, Standing::kRefuted}, {2, Standing::kUnconfirmed}}));
}

TEST_P(CrossChecksTest, OfTwoThatAreNearTheConfirmedOneIsTaken) {
  // Given a confirmed kernel, when an unconfirmed one is a twentieth faster, then the confirmed one is the best; when it is a fifth faster, it is not.
  auto store = open();
  store->insert(by("a", 1, 100, 0, Origin::kSearch));
  store->insert(by("b", 1, 101, 1, Origin::kCheck));
  store->insert(by("a", 2, 95, 0, Origin::kSearch));
  ASSERT_TRUE(store->flush().ok());
  EXPECT_EQ((*store->best_for(kTask, kDevice))->source_hash.lo, 1u);
  EXPECT_EQ((*store->best_for(kTask, kDevice))->standing, Standing::kConfirmed);
  store->insert(by("a", 3, 80, 0, Origin::kSearch));
  ASSERT_TRUE(store->flush().ok());
  EXPECT_EQ((*store->best_for(kTask, kDevice))->source_hash.lo, 3u);
}

}  // namespace
}  // namespace hone::tuner
