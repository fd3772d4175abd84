#include "bench/search/courses.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/cat.h"
#include "base/median.h"
#include "bench/search/known_records.h"
#include "tuner/records/sql_store.h"
#include "tuner/search/replay_course.h"

namespace hone::bench {

Courses search(const RecordedTask& task, tuner::StrategyKind kind, Seeds seeds, int trials,
               const std::vector<const RecordedTask*>& elsewhere) {
  const std::string folder = (std::filesystem::temp_directory_path() / cat("hone_search_", getpid())).string();
  const std::string known = folder + "_known.db", records = folder + "/records.db";
  write_known_records(elsewhere, known);
  Courses courses;
  size_t done = 0;
  double ms = 0;
  for (uint64_t seed = seeds.first; seed <= seeds.last; ++seed) {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    std::filesystem::copy_file(known, records);
    auto store = tuner::open_record_store({.where = records});
    CHECK(store.ok(), store.error().message);
    const double begin_s = cpu_s();
    auto course = tuner::replay_course(task.recording, *task.task, **store, {.kind = kind, .seed = seed}, trials);
    CHECK(course.ok(), course.error().message);
    ms += (cpu_s() - begin_s) * 1000;
    done += course->size();
    courses.best_us.push_back(std::move(*course));
  }
  std::filesystem::remove_all(folder);
  std::filesystem::remove(known);
  courses.ms_per_trial = ms / static_cast<double>(done);
  return courses;
}

int even_draws_until_median(const tuner::Recording& recording, double wanted_us) {
  const auto& kernels = recording.kernels;
  const auto others = std::count_if(kernels.begin(), kernels.end(), [&](const tuner::RecordedKernel& k) {
    return k.latency_us == 0 || k.latency_us > wanted_us;
  });
  double none = 1;  // the share of searches without one
  int draws = 0;
  for (; none > 0.5 && draws < others; ++draws)
    none *= static_cast<double>(others - draws) / static_cast<double>(static_cast<int>(kernels.size()) - draws);
  return draws;
}

double Courses::trials_until_median(double wanted_us) const {
  std::vector<double> trials;
  for (const auto& course : best_us) trials.push_back(tuner::trials_until(course, wanted_us));
  return median(trials);
}

}  // namespace hone::bench
