#include "bench/space/first_trials.h"

#include <algorithm>
#include <filesystem>

#include "base/check.h"
#include "bench/space/search_without_records.h"
#include "codegen/graph/import.h"
#include "tuner/measure/replay_runner.h"
#include "tuner/search/replay_course.h"

namespace hone::bench {

namespace {

// A plan within the recorded sub-space that begins with its seeds, as one of the whole space does.
tuner::Planner planner_of(const tuner::Recording& recording, uint64_t seed) {
  auto space_of = [&recording](const te::Task& task) { return tuner::recorded_space(recording, task); };
  auto bare = tuner::bare_planner(space_of, target::default_target(recording.target), seed, tuner::StrategyKind::kEvolutionary);
  return [=](const te::Task& task) -> Result<tuner::Plan> {
    HONE_ASSIGN(plan, bare(task));
    HONE_ASSIGN(space, space_of(task));
    plan.seeds = space.seeds();
    return std::move(plan);
  };
}

}  // namespace

std::vector<RecordedSpace> load_recorded_spaces(const std::string& folder) {
  std::vector<RecordedSpace> all;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (name.find(".space.") != std::string::npos || entry.path().extension() != ".json") continue;
    auto recording = tuner::load_recording(entry.path());
    CHECK(recording.ok(), recording.error().message);
    all.push_back({entry.path().stem(), std::move(*recording)});
  }
  std::sort(all.begin(), all.end(), [](const RecordedSpace& a, const RecordedSpace& b) { return a.name < b.name; });
  return all;
}

double best_of_first_us(const tuner::Recording& recording, int trials, uint64_t seed) {
  auto task = graph::task_from_spec(recording.op);
  CHECK(task.ok(), task.error().message);
  tuner::ReplayBuilder builder(recording);
  tuner::ReplayRunner runner(recording);
  return search_without_records(*task, planner_of(recording, seed), {builder, runner}, target::kind_name(recording.target), trials);
}

}  // namespace hone::bench
