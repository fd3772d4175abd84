#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/cat.h"
#include "base/sql/database.h"
#include "tuner/records/either_store.h"

namespace hone::tuner {
namespace {

struct FenceTest : EitherStore {
  static Record under(uint64_t source, const std::string& lease_id, int64_t fence) {
    Record r = record(source, 10, 0);
    r.lease_id = lease_id;
    r.fenced = !lease_id.empty();
    r.fence = fence;
    return r;
  }
};

INSTANTIATE_BOTH(FenceTest);

TEST_P(FenceTest, TheLeaseOfTheDeviceIsTheOneOfTheNewestFence) {
  // Given a device held under a lease, when records come of that lease, of its fence under another lease, of its lease with another fence, and of
  // none, then the first and the last are stored; when a greater fence is known, or the lease has ended, then none of the first is any more, and
  // a smaller fence changes nothing.
  auto store = open();
  std::vector<ErrorCode> outcomes;
  const auto insert = [&](uint64_t source, const std::string& lease_id, int64_t fence) {
    store->insert(under(source, lease_id, fence),
                  [&](const Status& status) { outcomes.push_back(status.ok() ? ErrorCode::kOk : status.error().code); });
  };
  store->hold_lease({"dev-a", "lease-5", 5});
  store->hold_lease({"dev-b", "lease-b", 5});
  insert(1, "lease-5", 5);
  insert(2, "lease-4", 5);
  insert(3, "lease-5", 4);
  insert(4, "", 5);
  store->hold_lease({"dev-a", "lease-6", 6});
  store->hold_lease({"dev-a", "lease-5", 5});
  insert(5, "lease-5", 5);
  insert(6, "lease-6", 6);
  store->end_lease("lease-6");
  insert(7, "lease-6", 6);
  insert(8, "lease-b", 5);
  ASSERT_TRUE(store->flush().ok());
  constexpr ErrorCode kYes = ErrorCode::kOk, kNo = ErrorCode::kStaleFence;
  EXPECT_EQ(outcomes, (std::vector{kYes, kNo, kNo, kYes, kNo, kYes, kNo, kYes}));
  EXPECT_EQ(store->known_trials(kTask, kDevice)->size(), 4u);
}

TEST_P(FenceTest, AFenceThatChangesBetweenCheckAndCommitIsSeen) {
  // Given a record that was queued while its lease was the device's, when the store's writer gets the database only after another process has
  // committed a greater fence, then the record is not stored.
  auto store = open();
  store->hold_lease({"dev-a", "lease-5", 5});
  ASSERT_TRUE(store->flush().ok());
  const auto other = sql::open_database(path()).value();
  ErrorCode outcome = ErrorCode::kInternal;
  const Status committed = other->transaction([&] {
    const Status changed = other->execute("UPDATE device_fences SET lease_id = 'lease-6', fence = 6 WHERE device_id = 'dev-a'");
    store->insert(under(1, "lease-5", 5), [&](const Status& status) { outcome = status.ok() ? ErrorCode::kOk : status.error().code; });
    while (!store->commits().began) std::this_thread::yield();
    return changed;
  });
  ASSERT_TRUE(committed.ok());
  ASSERT_TRUE(store->flush().ok());
  EXPECT_EQ(outcome, ErrorCode::kStaleFence);
  EXPECT_EQ(store->known_trials(kTask, kDevice)->size(), 0u);
}

TEST_P(FenceTest, OfAHundredThousandStaleFencesNoneIsAccepted) {
  // Given a device whose lease has ended a hundred thousand times, when a result of each of these leases comes late, then none is stored, and the
  // one of the lease of now is.
  constexpr int kStale = 100'000;
  (void)open();
  auto store = std::move(open_record_store({.where = path(), .batch_records_max = 10'000, .durable = false})).value();
  std::atomic<int> refused = 0;
  for (int fence = 1; fence <= kStale; ++fence) {
    if (fence % 1000 == 1) store->hold_lease({"dev-a", cat("lease-", kStale + fence), kStale + fence});
    store->insert(under(static_cast<uint64_t>(fence), cat("lease-", fence), fence), [&](const Status& status) {
      refused += !status.ok() && status.error().code == ErrorCode::kStaleFence;
    });
  }
  store->hold_lease({"dev-a", "lease-now", 2 * kStale + 1});
  store->insert(under(kStale + 1, "lease-now", 2 * kStale + 1));
  ASSERT_TRUE(store->flush().ok());
  EXPECT_EQ(refused, kStale);
  EXPECT_EQ(store->known_trials(kTask, kDevice)->size(), 1u);
}

}  // namespace
}  // namespace hone::tuner
