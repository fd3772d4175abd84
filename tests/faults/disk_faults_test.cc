// The disk refuses: one call, some calls or all from one on fail, at each place of a workload in turn. What is asked for fails with a value, what was acknowledged stays.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/faults/losses.h"
#include "tests/faults/store_history.h"
#include "tests/faults/test_folder.h"

namespace hone::faults {
namespace {

constexpr int64_t kAllFromHere = INT64_MAX / 2;
constexpr uint64_t kRecords = 12;

// A store that is opened, takes records one by one, forgets some and is closed, all of it on the disk that may fail.
void serve(StoreHistory& history, const std::string& path, uint64_t first) {
  auto store = tuner::open_record_store({.where = path});
  if (!store.ok()) return;
  for (uint64_t source = first; source < first + kRecords; ++source) {
    (void)StoreHistory::prepare(**store);  // whoever was refused asks again
    history.insert(**store, source, cat("agent-", source % 4));
    (void)(*store)->flush();
  }
  history.forget(**store, "agent-3");
}

int64_t calls_of_a_workload() {
  const TestFolder folder;
  RecordingVfs vfs;
  StoreHistory history(vfs);
  serve(history, folder.path(), 0);
  return vfs.calls();
}

class DiskFaults : public testing::TestWithParam<DiskFault> {
 protected:
  // The workload with a fault after `first` calls; then the disk is well again, the same service goes on, and last the power goes.
  void try_fault(int64_t first) {
    const TestFolder folder;
    RecordingVfs vfs;
    StoreHistory history(vfs);
    DiskFault fault = GetParam();
    fault.first = first;
    vfs.fail(fault);
    serve(history, folder.path(), 0);
    vfs.fail({});
    const size_t before = history.acknowledged();
    serve(history, folder.path(), 100);
    EXPECT_EQ(history.acknowledged(), before + kRecords) << "after the fault at call " << first;
    refused_ += history.refused();
    const std::vector<DiskEvent> events = vfs.take();
    EXPECT_EQ(history.fault_of(folder.path()), "") << "with a fault at call " << first;
    Rng rng(static_cast<uint64_t>(first) + 1);
    for_each_loss(events, 3, rng, folder.after(), [&](size_t moment) {
      EXPECT_EQ(history.fault_of(folder.path_after(), moment), "") << "with a fault at call " << first << ", and no power after " << moment << " events";
    });
  }

  size_t refused_ = 0;
};

TEST_P(DiskFaults, NothingAcknowledgedIsLostAndTheStoreGoesOn) {
  // Given a workload whose n-th write, truncation or sync fails, for each n, when the disk is well again, then records are taken as before, all that were acknowledged are there, and
  // they are after a loss of power as well; and somebody was told that the disk refused.
  const int64_t calls = calls_of_a_workload(), step = std::getenv("HONE_POWER_LOSSES") ? 1 : std::max<int64_t>(1, calls / 60);
  ASSERT_GT(calls, 50);
  for (int64_t first = 0; first < calls && !HasFailure(); first += step) try_fault(first);
  EXPECT_GT(refused_, 0u);
}

INSTANTIATE_TEST_SUITE_P(Each, DiskFaults,
                         testing::Values(DiskFault{.count = 1, .code = SQLITE_IOERR_WRITE}, DiskFault{.count = 1, .code = SQLITE_IOERR_WRITE, .torn = true},
                                         DiskFault{.count = 3, .code = SQLITE_FULL}, DiskFault{.count = kAllFromHere, .code = SQLITE_FULL},
                                         DiskFault{.count = kAllFromHere, .code = SQLITE_IOERR_WRITE}),
                         [](const auto& info) {
                           const DiskFault& fault = info.param;
                           return cat(fault.code == SQLITE_FULL ? "Full" : "IoError", fault.torn ? "Torn" : "", fault.count == kAllFromHere ? "ForGood" : fault.count == 1 ? "Once" : "AFewTimes");
                         });

}  // namespace
}  // namespace hone::faults
