#include "server/jobs/leased_store.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/cat.h"
#include "tuner/records/sql_store.h"

namespace hone::server {
namespace {

struct World {
  World() {
    EXPECT_TRUE(store->put_task({.id = {1, 2}, .name = "a task", .canonical_text = "text", .flops = 1}).ok());
    EXPECT_TRUE(store->put_device({.key = "key", .target = "webgpu"}).ok());
  }
  ~World() { std::filesystem::remove_all(folder); }
  tuner::Record record(uint64_t source, int64_t under_fence) {
    tuner::Record r;
    r.task_id = {1, 2};
    r.device_key = "key";
    r.source_hash = {3, source};
    r.trace_json = "{}";
    r.outcome = ErrorCode::kOk;
    r.samples_us = {1};
    r.latency_us_median = 1;
    r.fence = under_fence;
    if (under_fence) r.lease_id = cat("lease-", under_fence);
    return r;
  }
  std::string folder = [] {
    std::string made = testing::TempDir() + cat("/leased_", getpid());
    std::filesystem::create_directories(made);
    return made;
  }();
  std::unique_ptr<tuner::RecordStore> store = std::move(tuner::open_record_store({.where = folder + "/r.db"})).value();
  std::shared_ptr<Fences> fences = [this] {
    auto held = std::make_shared<Fences>(store.get());
    held->hold({"dev-a", "lease-7", 7});
    return held;
  }();
  std::atomic<int> settled{0};
  LeasedStore leased{*store, fences, [this](const Hash&, const Hash&, int) { ++settled; }};
  int64_t stored() {
    int64_t count = 0;
    EXPECT_TRUE(store
                    ->list({},
                           [&](const tuner::Record&) {
                             ++count;
                             return ok_status();
                           })
                    .ok());
    return count;
  }
};

TEST(LeasedStore, StoresUnderTheLeaseOfNowAndSettlesAfterTheCommit) {
  // Given a lease with fence 7, when a record of fence 7 is inserted, then it is on disk by the time it is settled.
  World w;
  int64_t at_ack = -1;
  w.leased.insert(w.record(1, 7), [&](Status status) { at_ack = status.ok() ? w.settled.load() : -2; });
  ASSERT_TRUE(w.leased.flush().ok());
  EXPECT_EQ(w.stored(), 1);
  EXPECT_EQ(at_ack, 1);
}

TEST(LeasedStore, RefusesWhatWasMeasuredUnderALeaseThatEnded) {
  // Given a lease with fence 7, when a record of fence 6 is inserted, or one of 7 after the lease was lost, then neither is stored, and both
  // are settled so that the agent forgets them; what the server says of its own (fence 0) is stored all the same.
  World w;
  w.leased.insert(w.record(1, 6), nullptr);
  w.fences->drop("lease-7");
  w.leased.insert(w.record(2, 7), nullptr);
  EXPECT_EQ(w.settled, 2);
  w.leased.insert(w.record(3, 0), nullptr);
  ASSERT_TRUE(w.leased.flush().ok());
  EXPECT_EQ(w.stored(), 1);
}

TEST(LeasedStore, StoresUnderEachLeaseOfTheJob) {
  // Given leases of two devices with the same fence and a third with another, when one of the two ends, then records of the other and of the third
  // are stored still, and those of the one that ended are not, whatever their fence.
  World w;
  w.fences->hold({"dev-b", "lease-b", 7});
  w.fences->hold({"dev-c", "lease-9", 9});
  w.fences->drop("lease-7");
  w.leased.insert(w.record(1, 7), nullptr);
  w.leased.insert(w.record(2, 9), nullptr);
  tuner::Record other = w.record(3, 7);
  other.lease_id = "lease-b";
  w.leased.insert(other, nullptr);
  ASSERT_TRUE(w.leased.flush().ok());
  EXPECT_EQ(w.stored(), 2);
}

TEST(LeasedStore, AFenceThatChangedBeforeTheCommitIsRefusedThere) {
  // Given a lease that this process still believes in, when another process has committed a greater fence of the device, then a record is not
  // stored, and is settled, so that the agent forgets it and the job goes on.
  World w;
  ASSERT_TRUE(w.leased.flush().ok());
  {
    const auto other = tuner::open_record_store({.where = w.folder + "/r.db"}).value();
    other->hold_lease({"dev-a", "lease-8", 8});
    ASSERT_TRUE(other->flush().ok());
  }
  bool acked = false;
  w.leased.insert(w.record(1, 7), [&](const Status& status) { acked = status.ok(); });
  ASSERT_TRUE(w.leased.flush().ok());
  EXPECT_TRUE(acked);
  EXPECT_EQ(w.settled, 1);
  EXPECT_EQ(w.stored(), 0);
}

}  // namespace
}  // namespace hone::server
