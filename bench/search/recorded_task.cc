#include "bench/search/recorded_task.h"

#include <time.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <set>

#include "base/rng.h"
#include "codegen/graph/import.h"
#include "tuner/search/replay_course.h"

namespace hone::bench {

namespace {

constexpr size_t kTimed = 256;  // schedules whose features are timed
constexpr size_t kBatch = 16;   // of these as one
constexpr int kPasses = 20;

using Schedules = std::vector<std::unique_ptr<schedule::Schedule>>;

double features_s(const Schedules& schedules, size_t begin, size_t end) {
  const double begin_s = cpu_s();
  for (size_t i = begin; i < end; ++i) (void)tuner::features_of(*schedules[i]);
  return cpu_s() - begin_s;
}

// Several passes over all of them; of each batch the fastest counts: what else the machine does only adds to a time.
double features_per_second(const Schedules& schedules) {
  std::vector<double> least_s((schedules.size() + kBatch - 1) / kBatch, 1e9);
  for (int pass = 0; pass < kPasses; ++pass)
    for (size_t batch = 0; batch < least_s.size(); ++batch) {
      const size_t begin = batch * kBatch, end = std::min(begin + kBatch, schedules.size());
      least_s[batch] = std::min(least_s[batch], features_s(schedules, begin, end));
    }
  return static_cast<double>(schedules.size()) / std::accumulate(least_s.begin(), least_s.end(), 0.0);
}

// Of each kernel's first schedule, in the order of the space.
void read(RecordedTask& t) {
  auto space = tuner::recorded_space(t.recording, *t.task);
  CHECK(space.ok(), space.error().message);
  const double best_us = t.recording.best_us();
  std::set<const tuner::RecordedKernel*> seen;
  const size_t timed_one_in = std::max<size_t>(1, t.recording.kernels.size() / kTimed);
  Schedules timed;
  for (const tuner::Assignment& a : space->enumerate()) {
    auto scheduled = space->apply(a);
    const tuner::RecordedKernel* kernel = t.recording.find(scheduled->trace.sketch);
    if (!kernel || !seen.insert(kernel).second) continue;
    auto features = tuner::features_of(*scheduled->result);
    if (!features.ok()) continue;
    t.rows.push_back({*features, kernel->latency_us > 0 ? static_cast<float>(best_us / kernel->latency_us) : 0});
    t.traces.push_back(std::move(scheduled->trace));
    if (t.rows.size() % timed_one_in == 0) timed.push_back(std::move(scheduled->result));
  }
  t.features_per_second = features_per_second(timed);
}

void shuffle(RecordedTask& t) {
  Rng rng(1);
  for (size_t i = t.rows.size(); i > 1; --i) {
    const size_t other = rng.below(i);
    std::swap(t.rows[i - 1], t.rows[other]);
    std::swap(t.traces[i - 1], t.traces[other]);
  }
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
  read(t);
  shuffle(t);
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
