#include "cli/best_schedule.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/cat.h"
#include "cli/source.h"
#include "codegen/compile.h"
#include "schema/generated/protocol.h"
#include "tuner/records/sql_store.h"

namespace hone::cli {
namespace {

std::string fingerprint_json(double invocations_max) {
  return protocol::to_json(protocol::Fingerprint{.target = "webgpu",
                                                 .limits = {{"maxComputeInvocationsPerWorkgroup", invocations_max}}})
      .dump();
}

// One task on two devices of WebGPU: on "strong" it is faster, on "weak" a workgroup is smaller.
class TwoDevices : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove(db_);
    auto store = tuner::open_record_store({.where = db_});
    ASSERT_TRUE(store.ok()) << store.error().message;
    ASSERT_TRUE((*store)->put_task({task_.id, task_.name, "text", 1}).ok());
    add(**store, "strong", 512, "of the strong one", 10);
    add(**store, "weak", 256, "of the weak one", 20);
    ASSERT_TRUE((*store)->flush().ok());
  }
  void TearDown() override { std::filesystem::remove(db_); }

  void add(tuner::RecordStore& store, const std::string& key, double invocations_max, const std::string& sketch,
           double us) {
    schedule::Trace trace = baseline_trace(task_, target::default_target(target::Kind::kWebGpu)).value();
    trace.sketch = sketch;
    ASSERT_TRUE(store.put_device({key, "webgpu", fingerprint_json(invocations_max)}).ok());
    store.insert({.task_id = task_.id,
                  .device_key = key,
                  .source_hash = {1, static_cast<uint64_t>(us)},
                  .trace_json = schedule::trace_to_json(trace),
                  .outcome = ErrorCode::kOk,
                  .samples_us = {us},
                  .latency_us_median = us});
  }

  std::unique_ptr<RecordSource> records() const { return std::move(RecordSource::open({.db = db_})).value(); }

  const te::Task task_ = load_tasks({.op = "matmul:16x16x16"}, {}, "webgpu")->tasks.front();
  const std::string db_ = cat(testing::TempDir(), "/best_schedule_test", getpid(), ".db");
};

TEST_F(TwoDevices, TheScheduleIsThatOfTheDeviceThatIsNamed) {
  // Given a task that was tuned on two devices, when its best schedule is asked for, then it is the faster device's with that device's
  // limits; of the device that is named it is that one's own, and of one that never measured it there is none.
  const auto fastest = best_schedule(*records(), task_, target::Kind::kWebGpu), named = best_schedule(*records(), task_, target::Kind::kWebGpu, "weak"),
             unknown = best_schedule(*records(), task_, target::Kind::kWebGpu, "other");
  ASSERT_TRUE(fastest.ok() && named.ok()) << db_;
  EXPECT_EQ(fastest->trace.sketch, "of the strong one");
  EXPECT_EQ(fastest->target.limits.invocations_max, 512);
  EXPECT_EQ(named->trace.sketch, "of the weak one");
  EXPECT_EQ(named->target.limits.invocations_max, 256);
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code, ErrorCode::kNotFound);
}

TEST_F(TwoDevices, ADeviceOfTheRecordsHasItsOwnLimits) {
  // Given records of two devices, when one's limits are asked for, then they are its own; a device that is not there is not_found, and
  // another kind of kernels than it runs is invalid_argument.
  const auto weak = recorded_target(*records(), "weak", target::Kind::kWebGpu);
  ASSERT_TRUE(weak.ok()) << weak.error().message;
  EXPECT_EQ(weak->limits.invocations_max, 256);
  EXPECT_EQ(recorded_target(*records(), "other", target::Kind::kWebGpu).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(recorded_target(*records(), "weak", target::Kind::kWebGl).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(RecordSource::open({.db = db_ + ".missing"}).error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace hone::cli
