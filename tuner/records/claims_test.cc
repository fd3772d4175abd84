#include "tuner/records/claims.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/cat.h"
#include "tuner/records/limits.h"
#include "tuner/records/sql_store.h"

namespace hone::tuner {
namespace {

constexpr double kFlops = 2.0 * 64 * 64 * 64;

Claim claim(const std::string& agent, uint64_t source, double us, Origin origin = Origin::kSearch) {
  return {.source = {1, source}, .who = {.agent = agent}, .origin = origin, .latency_us = us};
}

// An agent that has timed a round of candidates, the fastest of them in `best_us`.
void add_round(Claims& claims, const std::string& agent, double best_us, int candidates = kWitnessCandidates) {
  for (int i = 0; i < candidates; ++i)
    claims.add(claim(agent, hash_bytes(agent).lo + static_cast<uint64_t>(i), best_us * (i + 1)));
}

bool believed(const Claims& claims, const Claim& one) { return claims.standing(one) != Standing::kRefuted; }

bool added_and_believed(Claims claims, const Claim& one) {
  claims.add(one);
  return believed(claims, one);
}

TEST(Claims, WhatNothingCanDoIsNeverBelieved) {
  // Given the first agent of a class, when it says times that no device of its target reaches, then they are not believed; what one may reach is.
  for (const auto& [target, us, expected] : {std::tuple("webgpu", 0.001, false),
                                             {"webgpu", 0.09, false},
                                             {"webgpu", 1.0, true},
                                             {"opengl", 0.001, false},
                                             {"native", 0.001, false},
                                             {"wasm", 5.0, true}})
    EXPECT_EQ(added_and_believed(Claims(target, kFlops), claim("a", 1, us)), expected) << target << " " << us;
  EXPECT_FALSE(added_and_believed(Claims("webgpu", 1e15), claim("a", 1, 1000))) << "a petaflop in a millisecond";
  EXPECT_TRUE(added_and_believed(Claims("native", 0), claim("a", 1, 0.02))) << "a copy of some numbers";
}

TEST(Claims, AFreshDeviceIsBelieved) {
  // Given a class with one agent, when its seeds are thirty times as fast as the yardstick, then they are believed; also beside another agent's
  // yardstick, or beside too few candidates of another.
  Claims claims("webgpu", kFlops);
  claims.add(claim("a", 1, 3000, Origin::kNaive));
  claims.add(claim("b", 1, 3000, Origin::kNaive));
  add_round(claims, "b", 3000, kWitnessCandidates - 1);
  EXPECT_TRUE(added_and_believed(claims, claim("a", 2, 100)));
}

TEST(Claims, WhatIsBeyondTheOthersIsNotBelieved) {
  // Given an agent that has shown what a class does on a task, when another says more than four times that, then it is not believed, whichever came
  // first; less than that is believed, and so is what the first has shown.
  Claims claims("webgpu", kFlops);
  add_round(claims, "liar", 1, 6);
  EXPECT_TRUE(believed(claims, claim("liar", hash_bytes("liar").lo, 1))) << "the first has nobody beside it";
  add_round(claims, "honest", 100);
  EXPECT_FALSE(believed(claims, claim("liar", hash_bytes("liar").lo, 1)));
  EXPECT_FALSE(added_and_believed(claims, claim("liar", 7, 24)));
  EXPECT_TRUE(added_and_believed(claims, claim("liar", 7, 26)));
  EXPECT_TRUE(believed(claims, claim("honest", hash_bytes("honest").lo, 100)));
  EXPECT_FALSE(added_and_believed(claims, claim("", 7, 1))) << "of an unknown agent";
}

TEST(Claims, AnotherAgentsTimeOfTheSameKernelSpeaksForIt) {
  // Given a time beyond what others have shown, when another agent measures the same kernel about as fast, then both are believed.
  Claims claims("webgpu", kFlops);
  add_round(claims, "slow", 1000);
  claims.add(claim("fast", 7, 10));
  EXPECT_FALSE(believed(claims, claim("fast", 7, 10)));
  claims.add(claim("fast", 7, 11, Origin::kRecheck));
  EXPECT_FALSE(believed(claims, claim("fast", 7, 10))) << "not by its own word";
  claims.add(claim("other", 7, 18));
  EXPECT_TRUE(believed(claims, claim("fast", 7, 10)));
  EXPECT_TRUE(believed(claims, claim("other", 7, 18)));
}

TEST(Claims, NoSingleAgentSetsTheRateOfTheOthers) {
  // Given three agents that agree, when one more says that the device is a hundred times as slow, or as fast, then the others are still believed.
  for (double lie_us : {10'000.0, 1.0}) {
    Claims claims("webgpu", kFlops);
    for (const char* agent : {"a", "b", "c"}) add_round(claims, agent, 100);
    add_round(claims, "liar", lie_us);
    for (const char* agent : {"a", "b", "c"}) EXPECT_TRUE(believed(claims, claim(agent, hash_bytes(agent).lo, 100)));
  }
}

// A time of kernel 1.
Claim of_device(const std::string& token, const std::string& device, double us) {
  return {.source = {1, 1}, .who = {cat("agent of ", device), token, device}, .latency_us = us};
}

Standing standing(const std::vector<Claim>& all, size_t which = 0) {
  Claims claims("webgpu", kFlops);
  for (const Claim& one : all) claims.add(one);
  return claims.standing(all[which]);
}

TEST(Claims, ADeviceThatIsApartConfirms) {
  // Given a time, when nobody else measured its kernel, then it is unconfirmed; when a device under another token agrees within a tenth, then both are
  // confirmed, whichever came first.
  const Claim own = of_device("t1", "d1", 100);
  EXPECT_EQ(standing({own}), Standing::kUnconfirmed);
  for (const double us : {92.0, 109.0}) {
    EXPECT_EQ(standing({own, of_device("t2", "d2", us)}), Standing::kConfirmed) << us;
    EXPECT_EQ(standing({of_device("t2", "d2", us), own}), Standing::kConfirmed) << us;
  }
}

TEST(Claims, NobodyConfirmsHimself) {
  // Given a time, when its own device repeats it, another device under the same token, the same device under another token, one without a device or token,
  // an import that claims to be another device, or a device that is doubted, then it is unconfirmed.
  const Claim own = of_device("t1", "d1", 100);
  Claim import = of_device("t2", "d2", 100), doubted = of_device("t2", "d2", 100);
  import.who.agent = "import:crafted.jsonl";
  doubted.doubted = true;
  for (const Claim& other : {own, of_device("t1", "d2", 100), of_device("t2", "d1", 100), of_device("", "d2", 100),
                             of_device("t2", "", 100), import, doubted})
    EXPECT_EQ(standing({own, other}), Standing::kUnconfirmed) << other.who.agent << ", " << other.who.enrolment;
  EXPECT_NE(standing({import, of_device("t3", "d3", 100)}), Standing::kConfirmed) << "what is imported stays unconfirmed";
}

TEST(Claims, ATrustedDeviceConfirmsAlone) {
  // Given a time of a canary, when it stands alone or beside a faster or slower one, then it is confirmed, and so is what agrees with
  // it; once it is doubted it is not.
  Claim canary = of_device("canary", "d1", 100);
  canary.who.trusted = true;
  EXPECT_EQ(standing({canary}), Standing::kConfirmed);
  EXPECT_EQ(standing({canary, of_device("t2", "d2", 50)}), Standing::kConfirmed);
  EXPECT_EQ(standing({canary, of_device("t2", "d2", 200)}), Standing::kConfirmed);
  EXPECT_EQ(standing({canary, of_device("t2", "d2", 104)}, 1), Standing::kConfirmed);
  Claim second = of_device("canary", "d2", 104);
  second.who.trusted = true;
  EXPECT_TRUE(are_apart(canary.who, second.who)) << "two canaries";
  canary.doubted = true;
  EXPECT_EQ(standing({canary}), Standing::kRefuted);
}

TEST(Claims, OfTwoThatDisagreeTheSlowerCountsUntilAThirdSpeaks) {
  // Given a time and a slower one of a device that is apart, when they differ by more than a tenth, then the faster is refuted and the slower is not; when a
  // third device agrees with the faster, then it is confirmed.
  const Claim fast = of_device("t1", "d1", 80), slow = of_device("t2", "d2", 100);
  EXPECT_EQ(standing({fast, slow}), Standing::kRefuted);
  EXPECT_EQ(standing({fast, slow}, 1), Standing::kUnconfirmed);
  EXPECT_EQ(standing({fast, slow, of_device("t3", "d3", 82)}), Standing::kConfirmed);
}

TEST(Claims, AHotDeviceRefutesNothing) {
  // Given a device whose reference kernel took 1.5 times as long as another's, when its kernel did so, too, then the other's time is not refuted; when the
  // kernel took twice as long, it is.
  Claim cool = of_device("t1", "d1", 100), hot = of_device("t2", "d2", 150);
  cool.reference_us = 10;
  hot.reference_us = 15;
  EXPECT_EQ(standing({cool, hot}), Standing::kUnconfirmed);
  hot.latency_us = 200;
  EXPECT_EQ(standing({cool, hot}), Standing::kRefuted);
}

TEST(Claims, OnlyScatterOfBothWidensWhatAgrees) {
  // Given two times that differ by a fifth, when the samples of both scatter by a tenth, then they agree; when those of one alone do, as a liar may
  // write them, they do not; the faster is refuted all the same, but not by one whose own samples scatter so.
  Claim a = of_device("t1", "d1", 100), b = of_device("t2", "d2", 120);
  a.scatter = b.scatter = scatter_of({90, 110, 100, 93.3, 106.7});
  EXPECT_NEAR(a.scatter, 0.1, 0.002);
  EXPECT_EQ(standing({a, b}), Standing::kConfirmed);
  b.latency_us = 130;
  EXPECT_EQ(standing({a, b}), Standing::kUnconfirmed) << "too far for any scatter";
  b.latency_us = 120;
  a.scatter = 0;
  EXPECT_EQ(standing({a, b}), Standing::kUnconfirmed);
  a.scatter = 10;
  b.scatter = 0;
  EXPECT_EQ(standing({a, b}), Standing::kRefuted);
}

TEST(Claims, AnImportShowsNothingOfWhatWasMeasuredHere) {
  // Given a file with a round of slow times, when an agent says what is five times as fast, then it is believed; the file's own fast times beside an
  // agent's round are not.
  Claims claims("webgpu", kFlops);
  add_round(claims, "import:crafted.jsonl", 1000);
  EXPECT_TRUE(added_and_believed(claims, claim("honest", 7, 200)));
  add_round(claims, "honest", 200);
  EXPECT_FALSE(added_and_believed(claims, claim("import:other.jsonl", 8, 10)));
}

class ClaimsInStore : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_);
    store_ = std::move(open_record_store({.where = folder_ / "a.db"})).value();
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
  // refuted and may be measured again; once one of them is, the kernel has the time that was found.
  for (uint64_t i = 0; i < 6; ++i) measure("liar", 100 + i, 2);
  EXPECT_EQ(best().lo, 100u);
  for (uint64_t i = 0; i < kWitnessCandidates; ++i) measure("honest", 200 + i, 90 + static_cast<double>(i));
  EXPECT_EQ(best().lo, 200u);
  auto lie = *store_->known_trial(kTask, "device-a", {1, 100});
  ASSERT_TRUE(lie.has_value());
  EXPECT_EQ(lie->outcome, ErrorCode::kUnstable);
  EXPECT_FALSE(lie->final);
  EXPECT_DOUBLE_EQ(lie->refuted_us, 2);
  EXPECT_DOUBLE_EQ(lie->latency_us, 0);
  measure("honest", 100, 80, 1);
  EXPECT_EQ(best().lo, 100u);
  EXPECT_DOUBLE_EQ((*store_->best_for(kTask, "device-a"))->latency_us, 80);
}

}  // namespace
}  // namespace hone::tuner
