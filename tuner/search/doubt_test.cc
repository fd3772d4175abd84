// Times of an earlier run that this run's contradict.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>

#include "base/cat.h"
#include "tuner/records/sql_store.h"
#include "tuner/search/number_search.h"

namespace hone::tuner {
namespace {

TEST(Doubt, ALieOfBeforeIsMeasuredAgain) {
  // Given an agent that once said of six candidates that they take 1 µs, with as many samples as a recheck has, when another tunes the task,
  // then it measures them again, reports what it found itself, and the best of the records is right.
  const std::string path = std::filesystem::temp_directory_path() / cat("hone_doubt_", getpid(), ".db");
  std::filesystem::remove(path);
  auto store = std::move(open_record_store({.where = path})).value();
  const te::Task task = small_task("double", 16);
  ASSERT_TRUE(store->put_task({task.id, task.name, "text", 32}).ok());
  ASSERT_TRUE(store->put_device({"device-a", "webgpu", "{}"}).ok());
  for (int64_t number = 401; number <= 406; ++number)
    store->insert({.task_id = task.id,
                   .device_key = "device-a",
                   .source_hash = {5, static_cast<uint64_t>(number)},
                   .trace_json = schedule::trace_to_json(trace_of(number)),
                   .origin = Origin::kSearch,
                   .outcome = ErrorCode::kOk,
                   .samples_us = std::vector<double>(9, 1),
                   .latency_us_median = 1,
                   .agent = "liar"});
  ASSERT_TRUE(store->flush().ok());
  ScriptedRunner runner([](int64_t number, const MeasureInput& input) {
    MeasureResult result = valley(number, input);
    result.agent = "honest";
    return result;
  });
  NumberBuilder builder;
  Silent progress;
  CancelToken cancel;
  WorkerPool pool(2);
  TuneOptions options;
  options.trials_per_task = 48;
  options.target = "webgpu";
  const Planner planner = [](const te::Task&) -> Result<Plan> {
    return Plan{trace_of(9000), {trace_of(300), trace_of(3)}, std::make_unique<NumberStrategy>(1, 1000)};
  };
  auto report = tune({{&task, 1}}, planner, builder, runner, *store, options, pool, progress, cancel);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_GE(report->tasks[0].best_ms, 0.1);
  std::map<int64_t, int> attempts;
  for (auto [number, attempt] : runner.measured()) attempts[number] = std::max(attempts[number], attempt);
  for (int64_t number = 401; number <= 406; ++number) EXPECT_EQ(attempts[number], 1) << number;
  auto best = store->best_for(task.id, "device-a");
  ASSERT_TRUE(best.ok() && best->has_value());
  EXPECT_DOUBLE_EQ((*best)->latency_us, 1000 * report->tasks[0].best_ms);
  store.reset();
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace hone::tuner
