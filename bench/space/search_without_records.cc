#include "bench/space/search_without_records.h"

#include <unistd.h>

#include <filesystem>

#include "base/cat.h"
#include "base/check.h"
#include "tuner/features/features.h"
#include "tuner/records/sql_store.h"
#include "tuner/search/tune.h"

namespace hone::bench {

namespace {

class NoProgress final : public tuner::ProgressSink {
 public:
  void on_progress(const tuner::TuneProgress&) override {}
};

double tuned_us(const te::Task& task, const tuner::Planner& planner, const Device& device, tuner::RecordStore& store,
                tuner::TuneOptions options) {
  tuner::InlineExecutor executor;
  NoProgress progress;
  tuner::CancelToken cancel;
  options.job_id = "space";
  options.feature_version = tuner::kFeatureVersion;
  options.now_s = [] { return 0.0; };
  auto report =
      tuner::tune({{&task, 1}}, planner, device.builder, device.runner, store, options, executor, progress, cancel);
  CHECK(report.ok(), report.error().message);
  return report->tasks[0].best_ms * 1000;
}

}  // namespace

double search_without_records(const te::Task& task, const tuner::Planner& planner, const Device& device, const std::string& target,
                              int trials) {
  const auto folder = std::filesystem::temp_directory_path() / cat("hone_space_", getpid());
  std::filesystem::create_directories(folder);
  double us = 0;
  {
    auto store = tuner::open_record_store({.where = (folder / "records.db").string()});
    CHECK(store.ok(), store.error().message);
    us = tuned_us(task, planner, device, **store, {.trials_per_task = trials, .target = target});
  }
  std::filesystem::remove_all(folder);
  return us;
}

}  // namespace hone::bench
