#include "server/jobs/known_first.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/cat.h"
#include "tuner/records/sql_store.h"

namespace hone::server {
namespace {

// Holds what it is asked to measure until it is told the outcome.
class HeldRunner : public tuner::Runner {
 public:
  void submit(tuner::MeasureInput input, OnResult on_result) override {
    held.emplace_back(std::move(input), std::move(on_result));
  }
  int capacity() const override { return 8; }
  std::string device_key() const override { return "key"; }
  std::vector<std::pair<tuner::MeasureInput, OnResult>> held;
};

class AtOnce : public tuner::Executor {
 public:
  void post(std::function<void()> work) override { work(); }
};

// Two jobs on one database and one class of devices.
struct World {
  World() {
    task.id = {1, 2};
    EXPECT_TRUE(store->put_task({.id = task.id, .name = "a task", .canonical_text = "text", .flops = 1}).ok());
    EXPECT_TRUE(store->put_device({.key = "key", .target = "webgpu"}).ok());
  }
  ~World() { std::filesystem::remove_all(folder); }
  struct Job {
    ~Job() { runner->held.clear(); }  // what is held keeps `known` alive, which keeps the runner
    explicit Job(World& w) : known(std::make_shared<KnownFirst>(runner, *w.store, w.under_way, w.executor)) {}
    std::shared_ptr<HeldRunner> runner = std::make_shared<HeldRunner>();
    std::shared_ptr<KnownFirst> known;
    std::vector<tuner::MeasureResult> results;
  };
  void submit(Job& job, uint64_t source, bool in_turns = false, bool yardstick = false) {
    tuner::MeasureInput input{.trial_id = source, .task = &task, .yardstick = yardstick, .in_turns = in_turns};
    input.source.hash = {3, source};
    job.known->submit(std::move(input), [&job](tuner::MeasureResult r) { job.results.push_back(std::move(r)); });
  }
  // The device answers the oldest, which the job records.
  void measure(Job& job, ErrorCode outcome, tuner::Origin origin = tuner::Origin::kSearch) {
    auto [input, on_result] = std::move(job.runner->held.front());
    job.runner->held.erase(job.runner->held.begin());
    tuner::MeasureResult result{.trial_id = input.trial_id, .attempt = input.attempt, .outcome = outcome};
    if (outcome == ErrorCode::kOk) result.samples_us = {4, 4, 4}, result.latency_us_median = 4;
    tuner::Record r;
    r.task_id = task.id;
    r.device_key = "key";
    r.source_hash = input.source.hash;
    r.attempt = input.attempt;
    r.trace_json = "{}";
    r.origin = origin;
    r.outcome = outcome;
    r.samples_us = result.samples_us;
    r.latency_us_median = result.latency_us_median;
    on_result(result);
    if (outcome == ErrorCode::kCancelled) return;
    store->insert(std::move(r));
    ASSERT_TRUE(store->flush().ok());
    job.known->settled(task.id, input.source.hash);
  }

  std::string folder = [] {
    std::string made = testing::TempDir() + cat("/known_first_", getpid());
    std::filesystem::create_directories(made);
    return made;
  }();
  std::unique_ptr<tuner::RecordStore> store = std::move(tuner::open_record_store({.where = folder + "/r.db"})).value();
  UnderWay under_way;
  AtOnce executor;
  te::Task task;
};

TEST(KnownFirst, WhatTheStoreHoldsIsNotMeasured) {
  // Given a candidate that one job measured and one that failed for good, when another job, whose search began before, submits both, then it
  // has their outcomes and its device got neither; a third that nobody knows is measured.
  World w;
  World::Job a(w), b(w);
  w.submit(a, 1), w.submit(a, 2);
  w.measure(a, ErrorCode::kOk), w.measure(a, ErrorCode::kWrongOutput);
  EXPECT_FALSE(a.results[0].recorded);
  w.submit(b, 1), w.submit(b, 2), w.submit(b, 3);
  ASSERT_EQ(b.results.size(), 2u);
  EXPECT_TRUE(b.results[0].recorded);
  EXPECT_EQ(b.results[0].latency_us_median, 4);
  EXPECT_EQ(b.results[0].samples_us.size(), 3u);
  EXPECT_EQ(b.results[1].outcome, ErrorCode::kWrongOutput);
  ASSERT_EQ(b.runner->held.size(), 1u);
  EXPECT_EQ(b.runner->held[0].first.trial_id, 3u);
}

TEST(KnownFirst, WhatAnotherJobMeasuresRightNowIsWaitedFor) {
  // Given a candidate that is on one job's device, when another job submits it, then it is not measured there, and its result comes once the
  // first has recorded it.
  World w;
  World::Job a(w), b(w);
  w.submit(a, 1), w.submit(b, 1);
  EXPECT_TRUE(b.runner->held.empty());
  EXPECT_TRUE(b.results.empty());
  w.measure(a, ErrorCode::kOk);
  ASSERT_EQ(b.results.size(), 1u);
  EXPECT_TRUE(b.results[0].recorded);
  EXPECT_TRUE(b.runner->held.empty());
}

TEST(KnownFirst, WhatTheOtherJobDidNotSettleIsMeasured) {
  // Given a candidate that is on one job's device while another waits for it, when it comes to nothing that is final, or the job is cancelled or
  // ends, then the other measures it, as the next attempt where there was one.
  World w;
  World::Job a(w), b(w);
  for (uint64_t source : {1, 2, 3}) w.submit(a, source), w.submit(b, source);
  w.measure(a, ErrorCode::kUnstable);
  ASSERT_EQ(b.runner->held.size(), 1u);
  EXPECT_EQ(b.runner->held[0].first.attempt, 1);
  w.measure(a, ErrorCode::kCancelled);
  ASSERT_EQ(b.runner->held.size(), 2u);
  EXPECT_EQ(b.runner->held[1].first.attempt, 0);
  a.known->close();
  EXPECT_EQ(b.runner->held.size(), 3u);
}

TEST(KnownFirst, FinalistsAndOtherRolesAreMeasured) {
  // Given a source that was measured as a candidate, when it is submitted as a finalist or as the yardstick, then it is measured, as the next
  // attempt.
  World w;
  World::Job a(w), b(w);
  w.submit(a, 1);
  w.measure(a, ErrorCode::kOk);
  w.submit(b, 1, true);
  w.submit(b, 1, false, true);
  ASSERT_EQ(b.runner->held.size(), 2u);
  EXPECT_EQ(b.runner->held[0].first.attempt, 1);
  EXPECT_EQ(b.runner->held[1].first.attempt, 1);
}

TEST(KnownFirst, CancelAnswersWhatWaitsForOthers) {
  // Given a candidate that waits for another job, when its own job is cancelled, then it is answered cancelled, and what the other job finds
  // is not told any more.
  World w;
  World::Job a(w), b(w);
  w.submit(a, 1), w.submit(b, 1);
  b.known->cancel();
  ASSERT_EQ(b.results.size(), 1u);
  EXPECT_EQ(b.results[0].outcome, ErrorCode::kCancelled);
  w.measure(a, ErrorCode::kOk);
  EXPECT_EQ(b.results.size(), 1u);
}

}  // namespace
}  // namespace hone::server
