#include "tuner/records/claims.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/cat.h"
#include "tuner/records/limits.h"
#include "tuner/records/sqlite_store.h"

namespace hone::tuner {
namespace {

constexpr double kFlops = 2.0 * 64 * 64 * 64;

Claim claim(const std::string& agent, uint64_t source, double us, Origin origin = Origin::kSearch) {
  return {.source = {1, source}, .agent = agent, .origin = origin, .latency_us = us};
}

// An agent that has timed a round of candidates, the fastest of them in `best_us`.
void add_round(Claims& claims, const std::string& agent, double best_us, int candidates = kWitnessCandidates) {
  for (int i = 0; i < candidates; ++i)
    claims.add(claim(agent, hash_bytes(agent).lo + static_cast<uint64_t>(i), best_us * (i + 1)));
}

bool confirmed(Claims claims, const Claim& one) {
  claims.add(one);
  return claims.confirmed(one);
}

TEST(Claims, WhatNothingCanDoIsNeverBelieved) {
  // Given the first agent of a class, when it says times that no device of its target reaches, then they are not believed; what one may reach is.
  for (const auto& [target, us, expected] : {std::tuple("webgpu", 0.001, false),
                                             {"webgpu", 0.09, false},
                                             {"webgpu", 1.0, true},
                                             {"opengl", 0.001, false},
                                             {"native", 0.001, false},
                                             {"wasm", 5.0, true}})
    EXPECT_EQ(confirmed(Claims(target, kFlops), claim("a", 1, us)), expected) << target << " " << us;
  EXPECT_FALSE(confirmed(Claims("webgpu", 1e15), claim("a", 1, 1000))) << "a petaflop in a millisecond";
  EXPECT_TRUE(confirmed(Claims("native", 0), claim("a", 1, 0.02))) << "a copy of some numbers";
}

TEST(Claims, AFreshDeviceIsBelieved) {
  // Given a class with one agent, when its seeds are thirty times as fast as the yardstick, then they are believed; also beside another agent's
  // yardstick, or beside too few candidates of another.
  Claims claims("webgpu", kFlops);
  claims.add(claim("a", 1, 3000, Origin::kNaive));
  claims.add(claim("b", 1, 3000, Origin::kNaive));
  add_round(claims, "b", 3000, kWitnessCandidates - 1);
  EXPECT_TRUE(confirmed(claims, claim("a", 2, 100)));
}

TEST(Claims, WhatIsBeyondTheOthersIsNotBelieved) {
  // Given an agent that has shown what a class does on a task, when another says more than four times that, then it is not believed, whichever came
  // first; less than that is believed, and so is what the first has shown.
  Claims claims("webgpu", kFlops);
  add_round(claims, "liar", 1, 6);
  EXPECT_TRUE(claims.confirmed(claim("liar", hash_bytes("liar").lo, 1))) << "the first has nobody beside it";
  add_round(claims, "honest", 100);
  EXPECT_FALSE(claims.confirmed(claim("liar", hash_bytes("liar").lo, 1)));
  EXPECT_FALSE(confirmed(claims, claim("liar", 7, 24)));
  EXPECT_TRUE(confirmed(claims, claim("liar", 7, 26)));
  EXPECT_TRUE(claims.confirmed(claim("honest", hash_bytes("honest").lo, 100)));
  EXPECT_FALSE(confirmed(claims, claim("", 7, 1))) << "of an unknown agent";
}

TEST(Claims, AnotherAgentsTimeOfTheSameKernelConfirms) {
  // Given a time beyond what others have shown, when another agent measures the same kernel about as fast, then both are believed.
  Claims claims("webgpu", kFlops);
  add_round(claims, "slow", 1000);
  claims.add(claim("fast", 7, 10));
  EXPECT_FALSE(claims.confirmed(claim("fast", 7, 10)));
  claims.add(claim("fast", 7, 11, Origin::kRecheck));
  EXPECT_FALSE(claims.confirmed(claim("fast", 7, 10))) << "not by its own word";
  claims.add(claim("other", 7, 18));
  EXPECT_TRUE(claims.confirmed(claim("fast", 7, 10)));
  EXPECT_TRUE(claims.confirmed(claim("other", 7, 18)));
}

TEST(Claims, NoSingleAgentSetsTheRateOfTheOthers) {
  // Given three agents that agree, when one more says that the device is a hundred times as slow, or as fast, then the others are still believed.
  for (double lie_us : {10'000.0, 1.0}) {
    Claims claims("webgpu", kFlops);
    for (const char* agent : {"a", "b", "c"}) add_round(claims, agent, 100);
    add_round(claims, "liar", lie_us);
    for (const char* agent : {"a", "b", "c"}) EXPECT_TRUE(claims.confirmed(claim(agent, hash_bytes(agent).lo, 100)));
  }
}

class ClaimsInStore : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_);
    store_ = std::move(open_sqlite_store({.path = folder_ / "a.db"})).value();
    ASSERT_TRUE(store_->put_task({kTask, "matmul", "text", kFlops}).ok());
    ASSERT_TRUE(store_->put_device({"device-a", "webgpu", "{}"}).ok());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void measure(const std::string& agent, uint64_t source, double us, int attempt = 0) {
    store_->insert({.task_id = kTask,
                    .device_key = "device-a",
                    .source_hash = {1, source},
                    .attempt = attempt,
                    .trace_json = "{}",
                    .outcome = ErrorCode::kOk,
                    .samples_us = {us, us, us},
                    .latency_us_median = us,
                    .agent = agent});
    ASSERT_TRUE(store_->flush().ok());
  }
  Hash best() { return (*store_->best_for(kTask, "device-a"))->source_hash; }

  const Hash kTask{1, 2};
  const std::filesystem::path folder_ = std::filesystem::temp_directory_path() / cat("hone_claims_", getpid());
  std::unique_ptr<RecordStore> store_;
};

TEST_F(ClaimsInStore, AnHonestSearchDisplacesALie) {
  // Given an agent that lies of six kernels, when an honest one searches the same task, then the best is the honest one's, the lies are kept as
  // unconfirmed and may be measured again; once one of them is, the kernel has the time that was found.
  for (uint64_t i = 0; i < 6; ++i) measure("liar", 100 + i, 2);
  EXPECT_EQ(best().lo, 100u);
  for (uint64_t i = 0; i < kWitnessCandidates; ++i) measure("honest", 200 + i, 90 + static_cast<double>(i));
  EXPECT_EQ(best().lo, 200u);
  auto lie = *store_->known_trial(kTask, "device-a", {1, 100});
  ASSERT_TRUE(lie.has_value());
  EXPECT_EQ(lie->outcome, ErrorCode::kUnstable);
  EXPECT_FALSE(lie->final);
  EXPECT_DOUBLE_EQ(lie->unconfirmed_us, 2);
  EXPECT_DOUBLE_EQ(lie->latency_us, 0);
  measure("honest", 100, 80, 1);
  EXPECT_EQ(best().lo, 100u);
  EXPECT_DOUBLE_EQ((*store_->best_for(kTask, "device-a"))->latency_us, 80);
}

}  // namespace
}  // namespace hone::tuner
