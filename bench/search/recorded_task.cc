#include "bench/search/recorded_task.h"

#include <time.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/rng.h"
#include "codegen/graph/import.h"
#include "tuner/search/replay_course.h"

namespace hone::bench {

namespace {

// Of each kernel's first schedule, in the order of the space.
tuner::CostGroup rows_of(const RecordedTask& t, double* features_per_second) {
  auto space = tuner::recorded_space(t.recording, *t.task);
  CHECK(space.ok(), space.error().message);
  const double best_us = t.recording.best_us();
  tuner::CostGroup rows;
  std::set<const tuner::RecordedKernel*> seen;
  double seconds = 0;
  for (const tuner::Assignment& a : space->enumerate()) {
    auto scheduled = space->apply(a);
    const tuner::RecordedKernel* kernel = t.recording.find(scheduled->trace.sketch);
    if (!kernel || !seen.insert(kernel).second) continue;
    const double begin_s = cpu_s();
    auto features = tuner::features_of(*scheduled->result);
    seconds += cpu_s() - begin_s;
    if (!features.ok()) continue;
    rows.push_back({*features, kernel->latency_us > 0 ? static_cast<float>(best_us / kernel->latency_us) : 0});
  }
  *features_per_second = static_cast<double>(rows.size()) / seconds;
  return rows;
}

void shuffle(tuner::CostGroup& rows) {
  Rng rng(1);
  for (size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[rng.below(i)]);
}

RecordedTask load(const std::filesystem::path& file) {
  RecordedTask t{.name = file.stem()};
  t.device = t.name.substr(t.name.rfind('.') + 1);
  auto recording = tuner::load_recording(file);
  CHECK(recording.ok(), recording.error().message);
  t.recording = std::move(*recording);
  auto task = graph::task_from_spec(t.recording.op);
  CHECK(task.ok(), task.error().message);
  t.task = std::make_unique<te::Task>(std::move(*task));
  t.rows = rows_of(t, &t.features_per_second);
  shuffle(t.rows);
  return t;
}

}  // namespace

std::vector<RecordedTask> load_recorded_tasks(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (name.find(".space.") == std::string::npos && entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<RecordedTask> tasks;
  for (const auto& file : files) tasks.push_back(load(file));
  return tasks;
}

double cpu_s() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace hone::bench
