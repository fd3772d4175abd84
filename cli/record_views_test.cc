// What people read of the records, from a real database.
#include "cli/record_views.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/cat.h"
#include "schema/generated/protocol.h"
#include "tuner/records/sql_store.h"

namespace hone::cli {
namespace {

class RecordViews : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_);
    auto store = tuner::open_record_store({.where = folder_ + "/a.db"});
    ASSERT_TRUE(store.ok());
    store_ = std::move(*store);
    ASSERT_TRUE(store_->put_task({{1, 2}, "matmul 8x8x8", "text", 1024}).ok());
    const protocol::Fingerprint chromium{.target = "webgpu", .browser = "chromium", .browser_major = 140};
    ASSERT_TRUE(store_->put_device({"device-a", "webgpu", protocol::to_json(chromium).dump()}).ok());
  }
  void TearDown() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  void attempt(uint64_t source, double us, int64_t unix_ms) {
    store_->insert({.task_id = {1, 2},
                    .device_key = "device-a",
                    .source_hash = {3, source},
                    .trace_json = "{}",
                    .job_id = "tune-1",
                    .outcome = ErrorCode::kOk,
                    .samples_us = {us},
                    .latency_us_median = us,
                    .recorded_unix_ms = unix_ms});
    ASSERT_TRUE(store_->flush().ok());
  }

  const std::string folder_ = cat(testing::TempDir(), "/record_views_", getpid());
  std::unique_ptr<tuner::RecordStore> store_;
};

TEST_F(RecordViews, AttemptsAreListedInTheOrderOfTheirTimes) {
  // Given a trial that was measured before and after another one, when listed, then the order is that of the times, in text and as JSON, and the
  // text has no hash of a source.
  attempt(1, 1000, 1'700'000'000'000);
  attempt(2, 2000, 1'700'000'001'000);
  attempt(1, 3000, 1'700'000'002'000);
  const std::string table = *records_table(*store_, {}), json = *records_json(*store_, {});
  EXPECT_LT(table.find("1.00 ms"), table.find("2.00 ms")) << table;
  EXPECT_LT(table.find("2.00 ms"), table.find("3.00 ms")) << table;
  EXPECT_EQ(table.find("source"), std::string::npos) << table;
  EXPECT_LT(json.find("1700000000000"), json.find("1700000001000")) << json;
  EXPECT_LT(json.find("1700000001000"), json.find("1700000002000")) << json;
}

TEST_F(RecordViews, TheBestSaysWhetherAnotherDeviceConfirmsIt) {
  // Given a class with one device, when its best is shown, then it is unconfirmed, with the reason; when a second device has measured another kernel, then no
  // reason is left, and once it has measured the same one, it is confirmed.
  const auto by = [this](const std::string& device, uint64_t source, int attempt) {
    store_->insert({.task_id = {1, 2},
                    .device_key = "device-a",
                    .source_hash = {3, source},
                    .attempt = attempt,
                    .trace_json = "{}",
                    .outcome = ErrorCode::kOk,
                    .samples_us = {100.0 * static_cast<double>(source)},
                    .latency_us_median = 100.0 * static_cast<double>(source),
                    .agent = cat("agent of ", device),
                    .enrolment = cat("token of ", device),
                    .device = device});
    ASSERT_TRUE(store_->flush().ok());
  };
  const auto shown = [this] {
    const auto best = best_records(*store_, {});
    EXPECT_EQ(best->all.size(), 1u);
    return best_table(best->all) + best_json(best->all);
  };
  by("phone", 1, 0);
  EXPECT_NE(shown().find("no: one device"), std::string::npos) << shown();
  EXPECT_NE(shown().find(R"("standing":"unconfirmed","devices_known":1)"), std::string::npos) << shown();
  by("laptop", 2, 0);
  EXPECT_EQ(shown().find("no: one device"), std::string::npos) << shown();
  EXPECT_NE(shown().find(R"("standing":"unconfirmed","devices_known":2)"), std::string::npos) << shown();
  by("laptop", 1, 1);
  EXPECT_NE(shown().find(R"("standing":"confirmed","devices_known":2)"), std::string::npos) << shown();
  EXPECT_NE(shown().find("yes"), std::string::npos) << shown();
}

TEST_F(RecordViews, AReportNamesItsSubjectAndItsDevice) {
  // Given a job of an operator, when told, then the first line begins with the operator and has the job's id, and the next one names the device.
  ASSERT_TRUE(store_
                  ->put_job({.id = "tune-1",
                             .kind = "tune",
                             .state = "done",
                             .device_key = "device-a",
                             .request_json = R"({"source":{"op":"matmul:8x8x8"}})"})
                  .ok());
  attempt(1, 1000, 1'700'000'000'000);
  const auto course = report::course_of(*store_, "tune-1");
  ASSERT_TRUE(course.ok());
  const std::string text = job_report_text(*course);
  EXPECT_EQ(text.rfind("matmul:8x8x8 (job tune-1): done", 0), 0u) << text;
  EXPECT_NE(text.find("\nmeasured on chromium 140, webgpu\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace hone::cli
