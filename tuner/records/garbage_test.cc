#include "tuner/records/garbage.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/cat.h"
#include "tuner/records/sql_store.h"

namespace hone::tuner {
namespace {

const Hash kTask{1, 2};
constexpr const char* kDevice = "device-a";

Record record(uint64_t source, double latency_us, int64_t recorded_unix_ms, Origin origin = Origin::kSearch) {
  Record r;
  r.task_id = kTask;
  r.device_key = kDevice;
  r.source_hash = {7, source};
  r.trace_json = R"({"version":1})";
  r.origin = origin;
  r.outcome = latency_us > 0 ? ErrorCode::kOk : ErrorCode::kWrongOutput;
  r.latency_us_median = latency_us;
  if (latency_us > 0) r.samples_us = {latency_us};
  r.recorded_unix_ms = recorded_unix_ms;
  return r;
}

TEST(Garbage, OldTrialsGoTheBestAndTheYardstickStay) {
  // Given old and new trials of one task, when those before a time are collected and one is to be kept, then the old yardstick, the old
  // best and what is new are left, and the rest is gone with its attempts.
  const auto path = std::filesystem::temp_directory_path() / cat("hone_garbage_", getpid(), ".db");
  {
    auto store = open_record_store({.where = path});
    ASSERT_TRUE(store.ok());
    ASSERT_TRUE((*store)->put_task({kTask, "a task", "text", 100}).ok());
    ASSERT_TRUE((*store)->put_device({kDevice, "webgpu", "{}"}).ok());
    (*store)->insert(record(1, 90, 10, Origin::kNaive));
    (*store)->insert(record(2, 5, 10));
    (*store)->insert(record(3, 6, 10));
    (*store)->insert(record(4, 0, 10));
    (*store)->insert(record(5, 7, 2000));
    ASSERT_TRUE((*store)->flush().ok());
    auto report = collect_garbage(**store, 1000, 1);
    ASSERT_TRUE(report.ok()) << report.error().message;
    EXPECT_EQ(report->trials_removed, 2);
    EXPECT_EQ(report->trials_kept, 3);
    std::vector<uint64_t> left;
    ASSERT_TRUE((*store)
                    ->list({},
                           [&left](const Record& r) {
                             left.push_back(r.source_hash.lo);
                             return ok_status();
                           })
                    .ok());
    EXPECT_EQ(left, (std::vector<uint64_t>{1, 2, 5}));
    EXPECT_EQ((*store)->known_trials(kTask, kDevice)->size(), 3u);
  }
  std::filesystem::remove(path);
}

TEST(Garbage, AClockThatIsAnHourWrongRemovesNothingOfToday) {
  // Given trials of today by a clock that was right, an hour ahead and an hour behind, and one of the day before yesterday, when what is older than a day is collected by any of these clocks, then the last alone goes.
  constexpr int64_t kHour = 3'600'000, kDay = 24 * kHour, kNow = 1'700'000'000'000;
  for (const int64_t wrong : {int64_t{0}, kHour, -kHour}) {
    const auto path = std::filesystem::temp_directory_path() / cat("hone_garbage_", getpid(), "_", wrong, ".db");
    {
      const auto store = open_record_store({.where = path}).value();
      ASSERT_TRUE(store->put_task({kTask, "a task", "text", 100}).ok());
      ASSERT_TRUE(store->put_device({kDevice, "webgpu", "{}"}).ok());
      for (const auto& [source, at] : {std::pair{1, kNow}, {2, kNow + kHour}, {3, kNow - kHour}, {4, kNow - 2 * kDay}}) store->insert(record(source, 10, at));
      ASSERT_TRUE(store->flush().ok());
      const auto report = collect_garbage(*store, kNow + wrong - kDay, 1);
      ASSERT_TRUE(report.ok()) << report.error().message;
      EXPECT_EQ(report->trials_removed, 1);
      EXPECT_EQ(store->known_trials(kTask, kDevice)->size(), 3u);
    }
    for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(path.string() + suffix);
  }
}

}  // namespace
}  // namespace hone::tuner
