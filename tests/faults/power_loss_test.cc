// The power goes: SQLite's files are left as a disk may leave them, and whoever was told that something is kept finds it.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/cat.h"
#include "tests/faults/losses.h"
#include "tests/faults/store_history.h"
#include "tests/faults/test_folder.h"
#include "tracker/sql_store.h"
#include "base/sql/sqlite_db.h"

namespace hone::faults {
namespace {

constexpr int kSessions = 24;

class PowerLoss : public testing::Test, protected TestFolder {
 protected:
  // A session of a service: records come and are acknowledged, some of them twice; between them the log is moved to the database, an older agent's are forgotten, and space is given back.
  void serve(StoreHistory& history, int session) {
    auto store = tuner::open_record_store({.where = path()}).value();
    ASSERT_TRUE(StoreHistory::prepare(*store).ok());
    const std::string agent = cat("agent-", session);
    const uint64_t count = 1 + rng_.below(30);
    for (uint64_t i = 0; i < count; ++i) {
      history.insert(*store, static_cast<uint64_t>(session) * 100 + (rng_.below(8) == 0 ? 0 : i), agent);
      if (rng_.below(4) == 0) (void)store->flush();
      if (rng_.below(12) == 0) sql::SqliteDb::open(path()).value().checkpoint();
    }
    if (session > 2 && rng_.below(3) == 0) history.forget(*store, cat("agent-", session - 2));
    if (rng_.below(4) == 0) (void)store->compact();
  }

  RecordingVfs vfs_;
  Rng rng_{20'261'128};
};

TEST_F(PowerLoss, NoAcknowledgedRecordIsLost) {
  // Given a store of records that is written, moved, emptied and opened again, when the power goes at any moment, then SQLite finds the database whole, each record that was
  // acknowledged before is there once, and none that was forgotten before is.
  StoreHistory history(vfs_);
  for (int session = 0; session < kSessions; ++session) serve(history, session);
  ASSERT_GT(history.acknowledged(), 100u);
  ASSERT_EQ(history.refused(), 0u);
  int wrong = 0;
  for_each_loss(vfs_.take(), losses_wanted(), rng_, after(), [&](size_t moment) {
    const std::string fault = history.fault_of(path_after(), moment);
    wrong += !fault.empty();
    EXPECT_TRUE(fault.empty() || wrong > 3) << "after " << moment << " events: " << fault;
  });
  EXPECT_EQ(wrong, 0);
}

TEST_F(PowerLoss, NoFenceGoesBack) {
  // Given a tracker's store in which a device's fence rises with each lease, when the power goes at any moment, then the fence is at least the last one that was committed.
  std::vector<size_t> committed;  // at [i]: when fence i + 1 was
  {
    auto store = tracker::open_store(path()).value();
    ASSERT_TRUE(store->commit({tracker::StoredAgent{.agent_id = "a"}, tracker::StoredDevice{.device_id = "d", .agent_id = "a", .local_id = "gpu", .device_key = "key"}}).ok());
    for (uint64_t fence = 1; fence <= 200; ++fence) {
      ASSERT_TRUE(store->commit({tracker::DeviceUse{.device_id = "d", .fence = fence}, tracker::StoredLease{.lease_id = cat("l", fence), .device_id = "d", .fence = fence}}).ok());
      committed.push_back(vfs_.events());
    }
  }
  const auto fence_at = [&](size_t moment) { return static_cast<uint64_t>(std::upper_bound(committed.begin(), committed.end(), moment) - committed.begin()); };
  for_each_loss(vfs_.take(), losses_wanted(), rng_, after(), [&](size_t moment) {
    const auto store = tracker::open_store(path_after());
    ASSERT_TRUE(store.ok()) << "after " << moment << " events: " << store.error().message;
    const auto fleet = (*store)->load();
    const uint64_t found = fleet.ok() && !fleet->devices.empty() ? fleet->devices[0].fence : 0;
    ASSERT_GE(found, fence_at(moment)) << "after " << moment << " events";
  });
}

}  // namespace
}  // namespace hone::faults
