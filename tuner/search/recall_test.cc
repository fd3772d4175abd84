// What a search takes from the records of other tasks and devices before it begins.
#include "tuner/search/recall.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/cat.h"
#include "codegen/graph/import.h"
#include "tuner/features/features.h"
#include "tuner/records/sql_store.h"
#include "tuner/search/planner.h"

namespace hone::tuner {
namespace {

constexpr size_t kOfTask = 8;  // seeds that come from the task itself on other devices

class Recall : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_);
    auto opened = open_record_store({.where = folder_ + "/records.db"});
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    store_ = std::move(*opened);
    ASSERT_TRUE(store_->put_device({"here", "webgpu", "{}"}).ok());
    for (const char* device : {"there", "elsewhere"})
      ASSERT_TRUE(store_->put_device({device, "webgpu", cat(R"({"vendor":")", device, "\"}")}).ok());
  }
  void TearDown() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  // n schedules of the task on a device, the later the faster. The device is a word of their sources.
  std::vector<schedule::Trace> record(const te::Task& task, const std::string& device, int n, double fastest_us) {
    EXPECT_TRUE(store_->put_task({task.id, task.name, te::canonical_text(task), task.flops}).ok());
    const auto space = Space::derive(task, target_);
    Rng rng(device.size());
    std::vector<schedule::Trace> traces;
    for (uint64_t i = 0; static_cast<int>(traces.size()) < n; ++i) {
      auto trace = space->trace(space->sample(rng));
      if (!trace.ok() || !tried_.insert(identity(*trace)).second) continue;
      const double us = fastest_us * (n - static_cast<double>(traces.size()));
      store_->insert({.task_id = task.id,
                      .device_key = device,
                      .source_hash = {i, device.size()},
                      .trace_json = schedule::trace_to_json(*trace),
                      .outcome = ErrorCode::kOk,
                      .samples_us = {us},
                      .latency_us_median = us,
                      .features = std::vector<float>(kFeatureCount, 1),
                      .feature_version = kFeatureVersion});
      traces.push_back(std::move(*trace));
    }
    EXPECT_TRUE(store_->flush().ok());
    return traces;
  }

  Plan plan_of(const te::Task& task) {
    auto plan = space_planner(target_, 1)(task);
    CHECK(plan.ok(), plan.error().message);
    return std::move(*plan);
  }
  Status recall(const te::Task& task, Plan& plan) {
    return recall_neighbours(task, plan, *store_,
                             {.target = "webgpu", .device_key = "here", .feature_version = kFeatureVersion}, recalled_);
  }

  const target::Target target_ = target::webgpu_default();
  const te::Task product_ = *graph::task_from_spec("matmul:64x64x64");
  const std::string folder_ = (std::filesystem::temp_directory_path() / cat("hone_recall_", getpid())).string();
  std::unique_ptr<RecordStore> store_;
  std::unordered_set<Hash, HashHasher> tried_;
  Recalled recalled_;
};

TEST_F(Recall, TheFastestOfTheTaskItselfAreSeeds) {
  // Given records of the task on two other devices, one of them a hundred times slower, when its search begins, then behind the estimate's seeds come
  // the eight that were nearest to the best of their devices, those first.
  Plan plan = plan_of(product_);
  for (const schedule::Trace& seed : plan.seeds) tried_.insert(identity(seed));
  const size_t estimated = plan.seeds.size();
  const auto there = record(product_, "there", 12, 10), elsewhere = record(product_, "elsewhere", 12, 1000);
  ASSERT_TRUE(recall(product_, plan).ok());
  ASSERT_EQ(plan.seeds.size(), estimated + kOfTask);
  for (size_t i = 0; i < kOfTask; ++i)
    EXPECT_EQ(identity(plan.seeds[estimated + i]), identity((i % 2 ? elsewhere : there)[11 - i / 2])) << i;
}

TEST_F(Recall, SeedsDoNotEndWithTheRowsThatAJobTakes) {
  // Given a job that has recalled as many groups of rows as it takes, when the search of one more task begins, then that task's own records on
  // another device are seeds all the same, and no rows are added.
  const auto there = record(product_, "there", 3, 10);
  for (uint64_t i = 0; i < 40; ++i) recalled_.insert({Hash{7, i}, "there"});
  Plan plan = plan_of(product_);
  ASSERT_TRUE(recall(product_, plan).ok());
  EXPECT_EQ(identity(plan.seeds.back()), identity(there.front()));
  EXPECT_EQ(plan.experience->rows_of_others(product_.id), 0u);
}

TEST_F(Recall, OtherTasksGiveTheirBest) {
  // Given records of another product on another device, when a search begins, then its best is a seed, if it fits, and all its rows are known.
  const te::Task other = *graph::task_from_spec("matmul:128x64x64");
  record(other, "there", 12, 10);
  Plan plan = plan_of(product_);
  const size_t estimated = plan.seeds.size();
  ASSERT_TRUE(recall(product_, plan).ok());
  EXPECT_EQ(plan.seeds.size(), estimated + 1);
  EXPECT_EQ(plan.experience->rows_of_others(product_.id), 12u);
}

}  // namespace
}  // namespace hone::tuner
