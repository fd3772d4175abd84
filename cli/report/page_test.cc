// The page of a small course, from a real database.
#include "cli/report/page.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/cat.h"
#include "cli/report/figure.h"
#include "schema/generated/protocol.h"
#include "tuner/records/sql_store.h"

namespace hone::report {
namespace {

constexpr const char* kText =
    "te 1\ninput t0 f32 (8,16)\ninput t1 f16 (16,4)\ncompute t2 f32 (8,4)\naxis x0 8\ncompute t3 f32 (8,4) t4 i32 ()\n"
    "output t3\noutput t4\nactivation rows\n";

class PageTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / cat("hone_page_", getpid());
    std::filesystem::create_directories(folder_);
    auto store = tuner::open_record_store({.where = folder_ / "a.db"});
    ASSERT_TRUE(store.ok());
    store_ = std::move(*store);
    ASSERT_TRUE(store_->put_task({{1, 2}, "a <task>", kText, 1024}).ok());
    ASSERT_TRUE(
        store_
            ->put_device({"device-a", "webgpu",
                          protocol::to_json(
                              protocol::Fingerprint{.target = "webgpu", .browser = "chromium", .browser_major = 140})
                              .dump()})
            .ok());
    ASSERT_TRUE(store_
                    ->put_job({.id = "job-1",
                               .kind = "tune",
                               .state = "done",
                               .device_key = "device-a",
                               .started_unix_ms = 1,
                               .ended_unix_ms = 9})
                    .ok());
  }
  void TearDown() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  // The yardstick with 8 ms, the first seed with 4, then trials that halve with their rows, each predicted 10 % too slow; one is wrong.
  void measure_some(bool predicted) {
    measured(0, tuner::Origin::kNaive, "naive-v1", 8000);
    measured(1, tuner::Origin::kSeed, "tile: rows=1 lanes=4", 4000);
    for (uint64_t i = 2; i < 10; ++i) {
      const uint64_t rows = uint64_t{1} << (i % 3);
      measured(i, tuner::Origin::kSearch, cat("tile: rows=", rows, " lanes=", i % 2),
               4000.0 / static_cast<double>(rows), predicted ? 4400.0 / static_cast<double>(rows) : 0);
    }
    measured(10, tuner::Origin::kSearch, "tile: rows=8 lanes=4", 0);
    ASSERT_TRUE(store_->flush().ok());
  }

  std::string page_of(const std::string& job) {
    auto course = course_of(*store_, job);
    EXPECT_TRUE(course.ok());
    return course.ok() ? page(*course) : "";
  }

  void measured(uint64_t source, tuner::Origin origin, const std::string& words, double us, double predicted_us = 0) {
    tuner::Record r{.task_id = {1, 2}, .device_key = "device-a", .source_hash = {3, source}};
    r.trace_json = cat(R"({"version":1,"sketch":")", words, R"(","steps":[]})");
    r.job_id = "job-1";
    r.origin = origin;
    r.outcome = us > 0 ? ErrorCode::kOk : ErrorCode::kWrongOutput;
    if (us > 0) r.samples_us = {us};
    r.latency_us_median = us;
    r.fingerprint_json = R"({"browser":"chromium","browser_major":140})";
    r.predicted_us = predicted_us;
    store_->insert(r);
  }

  std::filesystem::path folder_;
  std::unique_ptr<tuner::RecordStore> store_;
};

TEST_F(PageTest, ShowsEveryDrawingOfASmallCourse) {
  // Given a job with yardstick, seed, predicted trials and an error, when its page is made, then it has the curve with both lines, the
  // predictions with their order, the decision that matters with its best value, the errors by kind and the roofline with its figures.
  measure_some(true);
  const std::string text = page_of("");
  for (const char* part :
       {"a &lt;task&gt;", "chromium 140, webgpu", "yardstick, 8.00 ms", "first seed, 4.00 ms", "<path class='naive'",
        "<path class='seed'", "<path class='best' d='M", "trial 2: 1.00 ms", "8.00× as fast as naive", "4.00× as fast as its first seed",
        "Of two of these 8 trials at least 5 % apart, the model knew the faster one in 100 %",
        "1.00 ms measured, 1.10 ms predicted", "<th>rows</th>", "best 4", "<th>wrong_output</th>",
        "0.00102 GFLOP/s and 0.000772 GB/s"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  for (const char* part : {"<script", "http", "url(", "@import"}) EXPECT_EQ(text.find(part), std::string::npos) << part;
}

TEST_F(PageTest, IsNamedAfterWhatTheJobWasOf) {
  // Given jobs of a model, of an operator, and of one task that nobody named, when titled, then that comes first, and a job of which nothing
  // is known has its id.
  JobCourse course{.job = {.id = "job-7"}};
  EXPECT_EQ(title(course), "job job-7");
  for (const auto& [request, words] :
       {std::pair<const char*, const char*>{R"({"source":{"model_name":"<m>.onnx"}})", "<m>.onnx (job job-1)"},
        {R"({"source":{"op":"matmul:8x8x8"}})", "matmul:8x8x8 (job job-1)"},
        {"{}", "a <task> (job job-1)"},
        {R"({"source":5})", "a <task> (job job-1)"}}) {
    ASSERT_TRUE(store_->put_job({.id = "job-1", .kind = "tune", .state = "done", .request_json = request}).ok());
    measured(1, tuner::Origin::kSeed, "tile", 4000);
    ASSERT_TRUE(store_->flush().ok());
    const auto named = course_of(*store_, "job-1");
    ASSERT_TRUE(named.ok());
    EXPECT_EQ(title(*named), words);
    EXPECT_NE(page(*named).find(cat("<h1>", escaped(words), "</h1>")), std::string::npos);
  }
}

TEST_F(PageTest, LeavesOutWhatIsUnknown) {
  // Given a job without a model, and one of which no candidate got a time, when their pages are made, then there is no scatter of
  // predictions, and no drawing but how the trials ended.
  measure_some(false);
  EXPECT_EQ(page_of("job-1").find("Predicted"), std::string::npos);
  ASSERT_TRUE(store_
                  ->put_job({.id = "job-2",
                             .kind = "tune",
                             .state = "failed",
                             .device_key = "device-a",
                             .message = "a <reason>",
                             .started_unix_ms = 20})
                  .ok());
  ASSERT_TRUE(store_->put_task({{1, 3}, "another", "text", 0}).ok());
  tuner::Record failed{
      .task_id = {1, 3}, .device_key = "device-a", .source_hash = {3, 99}, .trace_json = "{}", .job_id = "job-2"};
  failed.outcome = ErrorCode::kTimeout;
  failed.message = "it was too slow";
  store_->insert(failed);
  ASSERT_TRUE(store_->flush().ok());
  const std::string text = page_of("");
  EXPECT_NE(text.find("a &lt;reason&gt;"), std::string::npos);
  EXPECT_NE(text.find("1 trial, none with a time"), std::string::npos);
  EXPECT_NE(text.find("<th>timeout</th>"), std::string::npos);
  EXPECT_NE(text.find("1: the kernel did not end within its time cap; the first: it was too slow"), std::string::npos);
  EXPECT_EQ(text.find("<svg"), std::string::npos) << text;
}

TEST_F(PageTest, AJobThatIsNotThereIsNamed) {
  // Given a database without jobs of that name, when its course is asked, then the error names it.
  auto course = course_of(*store_, "job-9");
  ASSERT_FALSE(course.ok());
  EXPECT_EQ(course.error().message, "the records hold no job job-9");
}

TEST(Course, ArgumentsAreCountedOnce) {
  // Given a task's canonical text, when its arguments' bytes are asked, then inputs and outputs count, what lies between does not.
  EXPECT_EQ(argument_bytes(kText), 4 * 8 * 16 + 2 * 16 * 4 + 4 * 8 * 4 + 4);
  EXPECT_EQ(argument_bytes("text of another version"), 0);
}

}  // namespace
}  // namespace hone::report
