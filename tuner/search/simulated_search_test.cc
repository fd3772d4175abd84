// The search on simulated GPUs: which kind of kernel wins follows from the device, so the space must hold both and the search must find it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>

#include "base/cat.h"
#include "codegen/graph/import.h"
#include "tuner/measure/simulated_runner.h"
#include "tuner/records/sqlite_store.h"
#include "tuner/search/planner.h"
#include "tuner/search/tune.h"

namespace hone::tuner {
namespace {

class Inline final : public Executor {
 public:
  void post(std::function<void()> work) override { work(); }
};
class Silent final : public ProgressSink {
 public:
  void on_progress(const TuneProgress&) override {}
};

// The best schedule after 96 trials, expert seeds included where `seeds`.
schedule::Trace winner(const SimulatedGpu& gpu, const char* spec, bool seeds) {
  const std::string db =
      (std::filesystem::temp_directory_path() / cat("hone_simulated_", getpid(), ".db")).string();
  std::filesystem::remove(db);
  auto task = graph::task_from_spec(spec);
  auto store = open_sqlite_store({.path = db});
  SimulatedBuilder builder(gpu);
  SimulatedRunner runner(builder, 0.02);
  Inline executor;
  Silent silent;
  CancelToken cancel;
  auto space = [&gpu](const te::Task& t) { return Space::derive(t, gpu.target); };
  Planner planner = seeds ? space_planner(gpu.target, 1) : bare_planner(space, gpu.target, 1, StrategyKind::kEvolutionary);
  auto report = tune({{&*task, 1}}, planner, builder, runner, **store, {.trials_per_task = 96, .target = "webgpu"}, executor,
                     silent, cancel);
  EXPECT_TRUE(report.ok()) << report.error().message;
  std::filesystem::remove(db);
  if (!report.ok()) return {};
  std::cout << gpu.name << " " << spec << ": " << report->tasks[0].best_ms << " ms, seed " << report->tasks[0].seed_ms
            << " ms, " << report->tasks[0].best_trace.sketch << "\n";
  return report->tasks[0].best_trace;
}

bool uses_workgroup_memory(const schedule::Trace& trace) { return trace.sketch.find("=workgroup") != std::string::npos; }

TEST(SimulatedSearch, WorkgroupMemoryIsUsedWhereItPays) {
  // Given a GPU without caches whose workgroup memory is fast, when products and convolutions are tuned, with expert seeds and without, then
  // the fastest kernels stage operands in workgroup memory.
  for (const char* spec : {"matmul:256x256x256", "conv:1x64x28x28,64x64x3x3,pad=1"})
    for (bool seeds : {true, false}) EXPECT_TRUE(uses_workgroup_memory(winner(gpu_without_cache(), spec, seeds))) << spec;
}

TEST(SimulatedSearch, WorkgroupMemoryIsLeftWhereItDoesNot) {
  // Given a GPU with caches whose workgroup memory is ordinary memory and whose barriers are dear, when the same is tuned, then the fastest
  // kernels read their operands directly or through registers.
  for (const char* spec : {"matmul:256x256x256", "conv:1x64x28x28,64x64x3x3,pad=1"})
    for (bool seeds : {true, false}) EXPECT_FALSE(uses_workgroup_memory(winner(gpu_with_cache(), spec, seeds))) << spec;
}

TEST(SimulatedSearch, LanesExchangeWhereOnlyTheyAreFast) {
  // Given a GPU without caches whose subgroups of 32 exchange at the speed of registers and whose workgroup memory is slow, when a product is
  // tuned, then the fastest kernel spreads an operand over lanes.
  EXPECT_NE(winner(gpu_with_subgroups(), "matmul:256x256x256", true).sketch.find("=lane"), std::string::npos);
}

}  // namespace
}  // namespace hone::tuner
