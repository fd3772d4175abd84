#include "bench/space/hardware_search.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "base/cat.h"
#include "bench/space/yardstick.h"
#include "codegen/graph/import.h"

namespace hone::bench {
namespace {

te::Task small_product() { return std::move(*graph::task_from_spec("matmul:64x48x96")); }

TEST(HardwareSearch, EachTaskHasAFirstScheduleOnEachGpu) {
  // Given the tasks and GPUs of the benchmark, when the first schedules are judged, then all have a time, and no two tasks one name.
  std::set<std::string> names;
  const std::vector<HardwareTask> tasks = hardware_tasks();
  for (const HardwareTask& task : tasks) {
    EXPECT_TRUE(names.insert(task.name).second) << task.name;
    for (const Hardware& gpu : hardware_gpus()) EXPECT_GT(first_schedule_us(gpu, task.task), 0) << gpu.name << " " << task.name;
  }
}

TEST(HardwareSearch, MoreDrawsAreNoSlower) {
  // Given even draws of a space, when there are more of them with the same seed, then the best is at most as slow; its sketch stands for
  // it.
  const Hardware gpu = hardware_gpus()[0];
  const te::Task task = small_product();
  const Drawn few = draw_schedules(gpu, task, 20, 1), many = draw_schedules(gpu, task, 60, 1);
  EXPECT_GT(few.legal, 0);
  EXPECT_GT(many.legal, few.legal);
  EXPECT_LE(many.best_us, few.best_us);
  EXPECT_EQ(sketch_us(gpu, task, many.sketch), many.best_us);
}

TEST(HardwareSearch, WhatTheSpaceDoesNotMakeHasNoTime) {
  // Given a sketch of another space, when it is judged, then it has no time.
  EXPECT_EQ(sketch_us(hardware_gpus()[0], small_product(), "row: row.threads=8"), 0);
}

TEST(HardwareSearch, ASearchIsAtLeastAsGoodAsItsFirstTrial) {
  // Given a search of 16 trials, the experts' choices among them, when it ends, then its best is at most as slow as the first schedule; a
  // second search finds the same.
  const Hardware gpu = hardware_gpus()[0];
  const te::Task task = small_product();
  const double us = searched_us(gpu, task, 16, 1);
  EXPECT_LE(us, first_schedule_us(gpu, task) * (1 + 1e-9));
  EXPECT_EQ(searched_us(gpu, task, 16, 1), us);
}

TEST(Yardstick, WhatIsKnownIsNotDrawnAgain) {
  // Given a file with ten draws of a pair, when ten and then twelve are asked for, then the file stays as it is, and then has the pair
  // once, with twelve.
  const std::string path = (std::filesystem::temp_directory_path() / cat("hone_yardstick_", getpid(), ".json")).string();
  std::vector<HardwareTask> tasks;
  tasks.push_back({"small", small_product()});
  const std::vector<Hardware> gpus{hardware_gpus()[0]};
  find_yardsticks(gpus, tasks, {.draws = 10}, path);
  const auto written = std::filesystem::last_write_time(path);
  find_yardsticks(gpus, tasks, {.draws = 10, .threads = 2}, path);
  EXPECT_EQ(std::filesystem::last_write_time(path), written);
  find_yardsticks(gpus, tasks, {.draws = 12}, path);
  const std::vector<Yardstick> all = load_yardsticks(path);
  std::filesystem::remove(path);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].draws, 12);
  EXPECT_EQ(yardstick_us(all, gpus[0], tasks[0]), all[0].drawn.best_us);
  EXPECT_EQ(yardstick_us({}, gpus[0], tasks[0]), 0);
}

}  // namespace
}  // namespace hone::bench
