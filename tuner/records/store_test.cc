#include "tuner/records/store.h"

#include <gtest/gtest.h>

#include "tuner/records/either_store.h"
#include "tuner/records/trial_judge.h"

namespace hone::tuner {
namespace {

class StoreTest : public EitherStore {};
INSTANTIATE_BOTH(StoreTest);

TEST_P(StoreTest, KeepsEveryFieldAcrossReopening) {
  // Given a record with all its fields, when the store is closed and opened again, then the record is there unchanged.
  Record r = record(1, 10.5);
  r.job_id = "job-1";
  r.origin = Origin::kSeed;
  r.message = "a word with \"quotes\" and µ";
  r.clock_resolution_ns = 65536;
  r.repeats = 7;
  r.create_ms = 12.5;
  r.device_ms = 99;
  r.max_error = 1e-7;
  r.reference_us = 33;
  r.compiler_version = "0.1.0";
  r.feature_version = 3;
  r.fence = 5;
  r.recorded_unix_ms = 1700000000000;
  r.predicted_us = 12.5;
  r.features = {1.5f, 0, -3};
  r.agent = "agent-1";
  r.device = "device-1";
  r.lease_id = "lease-1";
  r.enrolment = "token-1";
  r.trusted = true;
  r.cache = CacheState::kModel;
  r.other_us = 8.5;
  open()->insert(r);
  std::vector<Record> found;
  ASSERT_TRUE(open()
                  ->list({},
                         [&found](const Record& one) {
                           found.push_back(one);
                           return ok_status();
                         })
                  .ok());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].samples_us, r.samples_us);
  EXPECT_EQ(found[0].message, r.message);
  EXPECT_EQ(found[0].origin, Origin::kSeed);
  EXPECT_EQ(found[0].source_hash, r.source_hash);
  EXPECT_EQ(found[0].fingerprint_json, r.fingerprint_json);
  EXPECT_EQ(found[0].fence, 5);
  EXPECT_EQ(found[0].recorded_unix_ms, r.recorded_unix_ms);
  EXPECT_DOUBLE_EQ(found[0].max_error, 1e-7);
  EXPECT_EQ(found[0].job_id, "job-1");
  EXPECT_DOUBLE_EQ(found[0].predicted_us, 12.5);
  EXPECT_EQ(found[0].features, r.features);
  EXPECT_EQ(found[0].agent, "agent-1");
  EXPECT_EQ(found[0].device, "device-1");
  EXPECT_EQ(found[0].lease_id, "lease-1");
  EXPECT_EQ(found[0].enrolment, "token-1");
  EXPECT_TRUE(found[0].trusted);
  EXPECT_FALSE(found[0].doubted);
  EXPECT_EQ(found[0].cache, CacheState::kModel);
  EXPECT_DOUBLE_EQ(found[0].other_us, 8.5);
}

TEST_P(StoreTest, ComparesTimesOfOneStateOfTheCaches) {
  // Given two trials timed hot, one of them also cold as a second median, when one is timed as in a model, then that state alone ranks; the
  // others are there when they are asked for.
  auto store = open();
  Record first = record(1, 10), second = record(2, 12);
  first.other_us = 30;
  for (const Record& r : {first, second}) store->insert(r);
  ASSERT_TRUE(store->flush().ok());
  EXPECT_DOUBLE_EQ((*store->best_for(kTask, kDevice))->latency_us, 11);
  second.attempt = 1;
  second.cache = CacheState::kModel;
  second.samples_us = {20};
  second.latency_us_median = 20;
  store->insert(second);
  ASSERT_TRUE(store->flush().ok());
  const auto best = *store->best_for(kTask, kDevice);
  EXPECT_EQ(best->source_hash, second.source_hash);
  EXPECT_DOUBLE_EQ(best->latency_us, 20);
  EXPECT_EQ(best->cache, CacheState::kModel);
  const auto known = *store->known_trials(kTask, kDevice);
  EXPECT_TRUE(is_timed_elsewhere(known[0]));
  EXPECT_FALSE(is_timed_elsewhere(known[1]));
  EXPECT_DOUBLE_EQ(best_of(in_state(known, CacheState::kHot))->latency_us, 11);
  EXPECT_DOUBLE_EQ(best_of(in_state(known, CacheState::kCold))->latency_us, 30);
}

TEST_P(StoreTest, FeaturesOfATrialAreTheNewestVersions) {
  // Given a trial first measured by a hone that kept no features, when later attempts bring some, then it has those of the newest version.
  auto store = open();
  auto features_after = [&store](const Record& r) {
    store->insert(r);
    EXPECT_TRUE(store->flush().ok());
    auto known = store->known_trials(kTask, kDevice);
    EXPECT_TRUE(known.ok());
    return std::pair((*known)[0].feature_version, (*known)[0].features);
  };
  using Expected = std::pair<int, std::vector<float>>;
  Record r = record(1, 10);
  r.feature_version = 1;
  EXPECT_EQ(features_after(r), Expected(0, {}));
  for (auto [version, kept] : {std::pair{2, 2}, {1, 2}, {3, 3}}) {
    ++r.attempt;
    r.feature_version = version;
    r.features = {static_cast<float>(version)};
    EXPECT_EQ(features_after(r), Expected(kept, {static_cast<float>(kept)})) << version;
  }
}

class NeighboursTest : public EitherStore {
 protected:
  // One trial of a task on a device; features of version 1.
  static Record of(uint64_t task, const std::string& device, uint64_t source, double latency_us = 10) {
    Record r = latency_us > 0 ? record(source, latency_us) : failure(source, ErrorCode::kWrongOutput, 0);
    r.task_id = {1, task};
    r.device_key = device;
    r.feature_version = 1;
    r.features = {static_cast<float>(source)};
    return r;
  }
  std::unique_ptr<RecordStore> filled() {
    auto store = open();
    for (uint64_t task = 2; task <= 4; ++task)
      EXPECT_TRUE(store->put_task({{1, task}, "a task", "text", 100.0 * static_cast<double>(task)}).ok());
    for (const char* key : {"device-b", "device-c"})
      EXPECT_TRUE(store->put_device({key, "webgpu", R"({"vendor":"x"})"}).ok());
    EXPECT_TRUE(store->put_device({"processor", "native", R"({"vendor":"x"})"}).ok());
    return store;
  }
};

INSTANTIATE_BOTH(NeighboursTest);

TEST_P(NeighboursTest, ComeFromTheSameTaskThenTheSameDevice) {
  // Given records of several tasks, devices and targets, when one pair asks for its neighbours, then it gets all other pairs of its target,
  // the same task first, then the same device, with each task's flops.
  auto store = filled();
  for (const auto& [task, device] : {std::pair<uint64_t, std::string>{3, "device-b"},
                                     {2, "processor"},
                                     {3, kDevice},
                                     {2, kDevice},
                                     {4, kDevice},
                                     {2, "device-c"},
                                     {2, "device-b"}})
    store->insert(of(task, device, 1));
  ASSERT_TRUE(store->flush().ok());
  auto found = store->neighbours("webgpu", 1, kTask, kDevice, kNeighboursMax);
  ASSERT_TRUE(found.ok()) << found.error().message;
  std::vector<std::tuple<uint64_t, std::string, double>> pairs;
  for (const Neighbour& n : *found) pairs.emplace_back(n.task_id.lo, n.device_key, n.flops);
  using Pairs = decltype(pairs);
  EXPECT_EQ(
      pairs,
      (Pairs{{2, "device-c", 100}, {2, "device-b", 100}, {3, kDevice, 300}, {4, kDevice, 400}, {3, "device-b", 300}}));
}

TEST_P(NeighboursTest, TellOnlyWhatAModelCanLearnFrom) {
  // Given trials with a time, with a final failure, with one that may heal, without features and with features of another version, when
  // asked for, then the first two come; and a pair that has nothing else does not come.
  auto store = filled();
  store->insert(of(2, "device-b", 1, 10));
  store->insert(of(2, "device-b", 2, 0));
  Record lost = of(2, "device-b", 3, 0), bare = of(2, "device-b", 4), old = of(2, "device-b", 5),
         alone = of(3, "device-b", 6, 0);
  lost.outcome = alone.outcome = ErrorCode::kTimeout;
  bare.features.clear();
  old.feature_version = 7;
  for (const Record& r : {lost, bare, old, alone}) store->insert(r);
  ASSERT_TRUE(store->flush().ok());
  auto found = store->neighbours("webgpu", 1, kTask, kDevice, kNeighboursMax);
  ASSERT_TRUE(found.ok());
  ASSERT_EQ(found->size(), 1u);
  const std::vector<KnownTrial>& trials = (*found)[0].trials;
  ASSERT_EQ(trials.size(), 2u);
  EXPECT_DOUBLE_EQ(trials[0].latency_us, 11);
  EXPECT_EQ(trials[0].features, std::vector<float>{1});
  EXPECT_DOUBLE_EQ(trials[1].latency_us, 0);
}

TEST_P(NeighboursTest, AreBounded) {
  // Given a pair with more trials than are wanted, and more pairs than are wanted, when asked for, then the fastest of the trials are there,
  // the others are spread over all, and the pairs are the first.
  auto store = filled();
  for (uint64_t i = 0; i < 2 * kNeighbourTrialsMax; ++i) store->insert(of(2, "device-b", i, i % 50 == 49 ? 5 : 10));
  for (uint64_t i = 0; i < kNeighboursMax; ++i) {
    ASSERT_TRUE(store->put_task({{1, 100 + i}, "a task", "text", 1}).ok());
    store->insert(of(100 + i, "device-b", 1));
  }
  ASSERT_TRUE(store->flush().ok());
  auto found = store->neighbours("webgpu", 1, kTask, kDevice, kNeighboursMax);
  ASSERT_TRUE(found.ok());
  ASSERT_EQ(found->size(), static_cast<size_t>(kNeighboursMax));
  const std::vector<KnownTrial>& trials = (*found)[0].trials;
  ASSERT_EQ(trials.size(), kNeighbourTrialsMax);
  EXPECT_EQ(trials[1].source_hash.lo, 2u);
  EXPECT_EQ(trials.back().source_hash.lo, 2 * kNeighbourTrialsMax - 1);
  EXPECT_EQ(std::count_if(trials.begin(), trials.end(), [](const KnownTrial& t) { return t.latency_us < 10; }), 8);
  EXPECT_TRUE(std::is_sorted(trials.begin(), trials.end(), [](const KnownTrial& a, const KnownTrial& b) {
    return a.source_hash.lo < b.source_hash.lo;
  }));
  EXPECT_EQ(store->neighbours("webgpu", 1, kTask, kDevice, 3)->size(), 3u);
}

TEST_P(StoreTest, InsertsOnce) {
  // Given a record that arrives twice, when both are inserted, then both are acknowledged and one is stored, as it came first.
  auto store = open();
  std::atomic<int> acknowledged{0};
  Record second = record(1, 99);
  for (const Record& r : {record(1, 10), second})
    store->insert(r, [&acknowledged](Status status) { acknowledged += status.ok(); });
  ASSERT_TRUE(store->flush().ok());
  EXPECT_EQ(acknowledged, 2);
  auto known = store->known_trials(kTask, kDevice);
  ASSERT_TRUE(known.ok());
  ASSERT_EQ(known->size(), 1u);
  EXPECT_DOUBLE_EQ((*known)[0].latency_us, 11);
  EXPECT_EQ((*known)[0].attempts, 1);
}

TEST_P(StoreTest, OneTrialIsFoundByItsSource) {
  // Given two trials, one of them with two attempts, when that one is asked for, then it is judged as among all; of an unknown source, or on
  // another device, nothing is known.
  auto store = open();
  store->insert(failure(1, ErrorCode::kUnstable, 0));
  store->insert(record(1, 10, 1));
  store->insert(record(2, 5));
  ASSERT_TRUE(store->flush().ok());
  auto known = store->known_trial(kTask, kDevice, {7, 1});
  ASSERT_TRUE(known.ok() && *known);
  EXPECT_EQ((*known)->outcome, ErrorCode::kOk);
  EXPECT_EQ((*known)->attempts, 2);
  EXPECT_DOUBLE_EQ((*known)->latency_us, 11);
  EXPECT_TRUE((*known)->final);
  auto other = store->known_trial(kTask, kDevice, {7, 3});
  ASSERT_TRUE(other.ok());
  EXPECT_FALSE(*other);
  auto elsewhere = store->known_trial(kTask, "another device", {7, 1});
  ASSERT_TRUE(elsewhere.ok());
  EXPECT_FALSE(*elsewhere);
}

TEST_P(StoreTest, BestIsTheFastestBestFoundedCandidate) {
  // Given a lucky first attempt, its recheck with more samples and a steady rival, when the best is asked, then the rival wins.
  auto store = open();
  store->insert(record(1, 5));
  store->insert(record(2, 10));
  Record recheck = record(1, 20, 1);
  recheck.samples_us = {20, 21, 22, 23, 24};
  recheck.origin = Origin::kRecheck;
  store->insert(recheck);
  Record naive = record(3, 1);
  naive.origin = Origin::kNaive;
  store->insert(naive);
  store->insert(failure(4, ErrorCode::kWrongOutput, 0));
  ASSERT_TRUE(store->flush().ok());
  auto best = store->best_for(kTask, kDevice);
  ASSERT_TRUE(best.ok());
  ASSERT_TRUE(best->has_value());
  EXPECT_EQ((*best)->source_hash, record(2, 0).source_hash);
  auto yardstick = store->naive_for(kTask, kDevice);
  ASSERT_TRUE(yardstick.ok() && yardstick->has_value());
  EXPECT_EQ((*yardstick)->source_hash, naive.source_hash);
  auto other_device = store->best_for(kTask, "device-b");
  ASSERT_TRUE(other_device.ok());
  EXPECT_FALSE(other_device->has_value());
}

TEST_P(StoreTest, AnUnstableRecheckIsATimeAndAnUnstableFirstMeasurementIsNone) {
  // Given a trial that was measured again while the device was unstable, and one that was unstable from the start, when judged, then the
  // first has the time of its recheck and the second has none.
  auto store = open();
  store->insert(record(1, 5));
  Record recheck = record(1, 20, 1);
  recheck.samples_us = {20, 21, 22, 23, 24};
  recheck.origin = Origin::kRecheck;
  recheck.outcome = ErrorCode::kUnstable;
  store->insert(recheck);
  Record first = record(2, 7);
  first.outcome = ErrorCode::kUnstable;
  store->insert(first);
  ASSERT_TRUE(store->flush().ok());
  auto trials = store->known_trials(kTask, kDevice);
  ASSERT_TRUE(trials.ok());
  EXPECT_EQ((*trials)[0].outcome, ErrorCode::kOk);
  EXPECT_TRUE((*trials)[0].final);
  EXPECT_DOUBLE_EQ((*trials)[0].latency_us, recheck.latency_us_median);
  EXPECT_EQ((*trials)[1].outcome, ErrorCode::kUnstable);
  EXPECT_DOUBLE_EQ((*trials)[1].latency_us, 0);
}

TEST_P(StoreTest, SecondTimeoutIsFinal) {
  // Given trials that timed out once and twice, gave a wrong output, or lost the agent, when judged, then only what cannot change is final.
  auto store = open();
  store->insert(failure(1, ErrorCode::kTimeout, 0));
  store->insert(failure(2, ErrorCode::kTimeout, 0));
  store->insert(failure(2, ErrorCode::kTimeout, 1));
  store->insert(failure(3, ErrorCode::kWrongOutput, 0));
  store->insert(failure(4, ErrorCode::kAgentGone, 0));
  store->insert(failure(4, ErrorCode::kAgentGone, 1));
  ASSERT_TRUE(store->flush().ok());
  auto known = store->known_trials(kTask, kDevice);
  ASSERT_TRUE(known.ok());
  std::vector<bool> finals;
  for (const KnownTrial& trial : *known) finals.push_back(trial.final);
  EXPECT_EQ(finals, (std::vector<bool>{false, true, true, false}));
  EXPECT_EQ((*known)[1].attempts, 2);
}

TEST_P(StoreTest, RefusesARecordOfAnUnknownTask) {
  // Given a record whose task was never put, when it is inserted next to a good one, then only the bad one fails.
  auto store = open();
  Record orphan = record(1, 10);
  orphan.task_id = {9, 9};
  std::atomic<int> failed{0};
  store->insert(orphan, [&failed](Status status) { failed += !status.ok(); });
  store->insert(record(2, 10));
  EXPECT_FALSE(store->flush().ok());
  EXPECT_EQ(failed, 1);
  auto known = store->known_trials(kTask, kDevice);
  ASSERT_TRUE(known.ok());
  EXPECT_EQ(known->size(), 1u);
}

}  // namespace
}  // namespace hone::tuner
