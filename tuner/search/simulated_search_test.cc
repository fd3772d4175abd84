// The search on simulated GPUs: which kind of kernel wins follows from the device, so the space must hold both and the search must find it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "base/cat.h"
#include "codegen/graph/import.h"
#include "tuner/measure/simulated_runner.h"
#include "tuner/records/sql_store.h"
#include "tuner/search/planner.h"
#include "tuner/search/tune.h"

namespace hone::tuner {
namespace {

class Silent final : public ProgressSink {
 public:
  void on_progress(const TuneProgress&) override {}
};

class SimulatedSearch : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  TaskReport search(const SimulatedGpu& gpu, const char* spec, const Planner& planner, const std::string& db,
                    int trials) {
    auto task = graph::task_from_spec(spec);
    auto store = open_record_store({.where = cat(folder_, "/", db, ".db")});
    SimulatedBuilder builder(gpu);
    SimulatedRunner runner(builder, 0.02);
    InlineExecutor executor;
    Silent silent;
    CancelToken cancel;
    TuneOptions options{.trials_per_task = trials, .target = "webgpu", .feature_version = kFeatureVersion};
    auto report = tune({{&*task, 1}}, planner, builder, runner, **store, options, executor, silent, cancel);
    EXPECT_TRUE(report.ok()) << report.error().message;
    if (!report.ok()) return {};
    const TaskReport& best = report->tasks[0];
    std::cout << gpu.name << " " << spec << ": " << best.best_ms << " ms, seed " << best.seed_ms << " ms, "
              << best.best_trace.sketch << "\n";
    return best;
  }

  // The best schedule after 96 trials, first schedules included where `seeds`.
  schedule::Trace winner(const SimulatedGpu& gpu, const char* spec, bool seeds) {
    auto space = [&gpu](const te::Task& t) { return Space::derive(t, gpu.target); };
    Planner planner =
        seeds ? space_planner(gpu.target, 1) : bare_planner(space, gpu.target, 1, StrategyKind::kEvolutionary);
    return search(gpu, spec, planner, cat("db", searches_++), 96).best_trace;
  }

  const std::string folder_ = (std::filesystem::temp_directory_path() / cat("hone_simulated_", getpid())).string();
  int searches_ = 0;
};

bool uses_workgroup_memory(const schedule::Trace& trace) {
  return trace.sketch.find("=workgroup") != std::string::npos;
}

TEST_F(SimulatedSearch, WorkgroupMemoryIsUsedWhereItPays) {
  // Given a GPU without caches whose workgroup memory is fast, when products and convolutions are tuned, with first schedules of the estimate and without, then
  // the fastest kernels stage operands in workgroup memory.
  for (const char* spec : {"matmul:256x256x256", "conv:1x64x56x56,64x64x3x3,pad=1,stride=2"})
    for (bool seeds : {true, false})
      EXPECT_TRUE(uses_workgroup_memory(winner(gpu_without_cache(), spec, seeds))) << spec;
}

TEST_F(SimulatedSearch, WorkgroupMemoryIsLeftWhereItDoesNot) {
  // Given a GPU with caches whose workgroup memory is ordinary memory and whose barriers are dear, when the same is tuned, then the fastest
  // kernels read their operands directly or through registers.
  for (const char* spec : {"matmul:256x256x256", "conv:1x64x56x56,64x64x3x3,pad=1,stride=2"})
    for (bool seeds : {true, false}) EXPECT_FALSE(uses_workgroup_memory(winner(gpu_with_cache(), spec, seeds))) << spec;
}

TEST_F(SimulatedSearch, LanesExchangeWhereOnlyTheyAreFast) {
  // Given a GPU without caches whose subgroups of 32 exchange at the speed of registers and whose workgroup memory is slow, when a product is
  // tuned, then the fastest kernel spreads an operand over lanes.
  EXPECT_NE(winner(gpu_with_subgroups(), "matmul:256x256x256", true).sketch.find("=lane"), std::string::npos);
}

// The whole space, but for all algorithms except the task's own.
Result<Space> direct_alone(const te::Task& task, const target::Target& target) {
  HONE_ASSIGN(space, Space::derive(task, target));
  std::map<std::string, std::vector<std::string>> words;
  for (const Decision& d : space.decisions())
    for (size_t v = 0; v < (d.key == kAlgorithm ? 1 : d.values.size()); ++v) words[d.key].push_back(d.word(v));
  return space.restricted(words);
}

TEST_F(SimulatedSearch, AlgorithmsDoNotHideOneAnother) {
  // Given a convolution that can be computed in three ways, when all are searched with as many trials as the direct one alone, then what is
  // found is as fast, but for a tenth, or faster.
  for (const SimulatedGpu& gpu : {gpu_without_cache(), gpu_with_cache()}) {
    const char* spec = "conv:1x64x28x28,64x64x3x3,pad=1";
    auto direct = [&gpu](const te::Task& t) { return direct_alone(t, gpu.target); };
    auto all = [&gpu](const te::Task& t) { return Space::derive(t, gpu.target); };
    double ms[2];
    for (int i : {0, 1}) {
      Planner planner = bare_planner(i ? std::function<Result<Space>(const te::Task&)>(all) : direct, gpu.target, 1,
                                     StrategyKind::kEvolutionary);
      ms[i] = search(gpu, spec, planner, cat("algorithms", searches_++), 96).best_ms;
    }
    EXPECT_LE(ms[1], 1.1 * ms[0]) << gpu.name;
  }
}

TEST_F(SimulatedSearch, WhatRunsOnceCostsNothing) {
  // Given a schedule of a convolution that transforms its data and its taps, when either transform gets workgroups of one thread, then that
  // of the data takes another time and that of the taps, which follows from constants, does not.
  const SimulatedGpu gpu = gpu_with_cache();
  auto task = graph::task_from_spec("conv:1x64x28x28,64x64x3x3,pad=1");
  const std::vector<schedule::Trace> seeds = Space::derive(*task, gpu.target)->seeds();
  const auto transformed = std::find_if(seeds.begin(), seeds.end(), [](const schedule::Trace& t) {
    return t.sketch.find("algorithm=winograd4") != std::string::npos;
  });
  ASSERT_NE(transformed, seeds.end());
  const auto alone_us = [&](const std::string& stage) {
    schedule::Trace trace = *transformed;
    for (schedule::Step& step : trace.steps)
      if (step.primitive == schedule::Primitive::kSplit && step.stage == stage) step.factors[0] = 1;
    return *simulated_us(gpu, *task, trace);
  };
  const double us = *simulated_us(gpu, *task, *transformed);
  EXPECT_EQ(alone_us("Y.u"), us);
  EXPECT_NE(alone_us("Y.v"), us);
}

TEST_F(SimulatedSearch, GoesOnFromWhatOtherShapesTaught) {
  // Given the records of a product, when products of other shapes are tuned with few trials, then with these records they become
  // at least as fast as without, and most of them faster.
  int faster = 0;
  const char* specs[] = {"matmul:256x256x128", "matmul:128x512x256", "matmul:512x128x128"};
  for (const char* spec : specs) {
    const SimulatedGpu gpu = gpu_without_cache();
    search(gpu, "matmul:256x256x256", space_planner(gpu.target, 1), cat("warm", searches_), 64);
    const double warm_ms = search(gpu, spec, space_planner(gpu.target, 1), cat("warm", searches_++), 16).best_ms;
    const double cold_ms = search(gpu, spec, space_planner(gpu.target, 1), cat("cold", searches_++), 16).best_ms;
    EXPECT_LE(warm_ms, cold_ms * 1.02) << spec;
    faster += warm_ms < 0.9 * cold_ms;
  }
  EXPECT_GE(faster, 2);
}

}  // namespace
}  // namespace hone::tuner
