#include "bench/search/big_job.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>

#include "base/cat.h"
#include "bench/search/recorded_task.h"
#include "codegen/graph/import.h"
#include "tuner/measure/simulated_runner.h"
#include "tuner/records/sql_store.h"
#include "tuner/search/planner.h"
#include "tuner/search/tune.h"

namespace hone::bench {

namespace {

constexpr const char* kOps[] = {"matmul:256x256x256",
                                "matmul:64x768x3072",
                                "matmul:1x512x1000",
                                "matmul:128x64x128",
                                "conv:1x64x56x56,64x64x3x3,pad=1",
                                "conv:1x64x56x56,128x64x3x3,pad=1,stride=2",
                                "conv:1x128x28x28,256x128x1x1,stride=2",
                                "conv:1x256x14x14,256x256x3x3,pad=1",
                                "conv:1x512x7x7,512x512x3x3,pad=1",
                                "conv:1x3x224x224,64x3x7x7,pad=3,stride=2"};

class Silent final : public tuner::ProgressSink {
 public:
  void on_progress(const tuner::TuneProgress&) override {}
};

double memory_mb_max() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_maxrss) / 1024;  // Linux counts in KiB
}

std::vector<te::Task> tasks() {
  std::vector<te::Task> all;
  for (const char* op : kOps) {
    auto task = graph::task_from_spec(op);
    CHECK(task.ok(), task.error().message);
    all.push_back(std::move(*task));
  }
  return all;
}

}  // namespace

BigJob big_job(int trials) {
  const std::string folder = (std::filesystem::temp_directory_path() / cat("hone_big_job_", getpid())).string();
  std::filesystem::create_directories(folder);
  auto store = tuner::open_record_store({.where = cat(folder, "/records.db")});
  CHECK(store.ok(), store.error().message);
  const std::vector<te::Task> all = tasks();
  std::vector<tuner::WeightedTask> weighted;
  for (const te::Task& task : all) weighted.push_back({&task, 1});
  const tuner::SimulatedGpu gpu = tuner::gpu_with_cache();
  tuner::SimulatedBuilder builder(gpu);
  tuner::SimulatedRunner runner(builder, 0.02);
  tuner::InlineExecutor executor;
  Silent silent;
  tuner::CancelToken cancel;
  tuner::TuneOptions options{.trials_per_task = trials / static_cast<int>(all.size()),
                             .target = "webgpu",
                             .feature_version = tuner::kFeatureVersion};
  const double begin_s = cpu_s();
  auto report = tuner::tune(weighted, tuner::space_planner(gpu.target, 1), builder, runner, **store, options, executor,
                            silent, cancel);
  CHECK(report.ok(), report.error().message);
  BigJob job;
  for (const tuner::TaskReport& task : report->tasks) job.trials += task.trials;
  job.ms_per_trial = (cpu_s() - begin_s) * 1000 / job.trials;
  job.memory_mb_max = memory_mb_max();
  std::filesystem::remove_all(folder);
  return job;
}

}  // namespace hone::bench
