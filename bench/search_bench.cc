// scripts/bench search [--json]: how many trials a search takes on the recordings of tests/replay, without expert seeds. --first-seed 1, --last-seed 10.
// Wanted: the median number of trials until random search's best of 128 is at most 64.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/cat.h"
#include "codegen/graph/import.h"
#include "tuner/records/sqlite_store.h"
#include "tuner/search/replay_course.h"

namespace hone::tuner {
namespace {

const std::string kFolder = (std::filesystem::temp_directory_path() / cat("hone_search_", getpid())).string();
struct Seeds {
  uint64_t first = 1, last = 10;
};
constexpr int kTrials = 200;
constexpr int kRandomTrials = 128;
struct Named {
  const char* name;
  StrategyKind kind;
};
constexpr Named kStrategies[] = {
    {"evolutionary", StrategyKind::kEvolutionary}, {"local", StrategyKind::kLocal}, {"random", StrategyKind::kRandom}};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  size_t n = values.size();
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

std::vector<std::vector<double>> courses(const Recording& recording, const te::Task& task, StrategyKind kind,
                                         Seeds seeds, double* ms_per_trial) {
  auto begin = std::chrono::steady_clock::now();
  std::vector<std::vector<double>> all;
  size_t trials = 0;
  for (uint64_t seed = seeds.first; seed <= seeds.last; ++seed) {
    std::filesystem::remove_all(kFolder);
    std::filesystem::create_directories(kFolder);
    auto store = open_sqlite_store({.path = cat(kFolder, "/records.db")});
    CHECK(store.ok(), store.error().message);
    auto course = replay_course(recording, task, **store, kind, seed, kTrials);
    CHECK(course.ok(), course.error().message);
    trials += course->size();
    all.push_back(std::move(*course));
  }
  std::filesystem::remove_all(kFolder);
  *ms_per_trial = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count() /
                  static_cast<double>(trials);
  return all;
}

double median_until(const std::vector<std::vector<double>>& courses, double wanted_us) {
  std::vector<double> trials;
  for (const auto& course : courses) trials.push_back(trials_until(course, wanted_us));
  return median(trials);
}

nlohmann::ordered_json run(const std::string& path, Seeds seeds) {
  auto recording = load_recording(path);
  CHECK(recording.ok(), recording.error().message);
  auto task = graph::task_from_spec(recording->op);
  CHECK(task.ok(), task.error().message);
  double best_us = recording->best_us(), ms = 0;
  std::vector<double> random_bests;
  for (const auto& course : courses(*recording, *task, StrategyKind::kRandom, seeds, &ms))
    random_bests.push_back(course[std::min<size_t>(kRandomTrials, course.size()) - 1]);
  double random_us = median(random_bests);
  nlohmann::ordered_json result{{"op", recording->op},
                                {"kernels", recording->kernels.size()},
                                {"best_us", best_us},
                                {"random_best_of_128_us", random_us}};
  for (const Named& strategy : kStrategies) {
    auto all = courses(*recording, *task, strategy.kind, seeds, &ms);
    std::vector<double> at_64;
    for (const auto& course : all) at_64.push_back(course[std::min<size_t>(64, course.size()) - 1] / best_us);
    result[strategy.name] = {{"trials_to_random_128_median", median_until(all, random_us)},
                             {"trials_to_95_median", median_until(all, best_us / 0.95)},
                             {"trials_to_99_median", median_until(all, best_us / 0.99)},
                             {"best_of_64_over_best_median", median(at_64)},
                             {"server_ms_per_trial", ms}};
  }
  return result;
}

}  // namespace
}  // namespace hone::tuner

int main(int argc, char** argv) {
  bool json = false;
  hone::tuner::Seeds seeds;
  CLI::App app("How many trials a search takes on the recordings of tests/replay");
  app.add_flag("--json", json);
  app.add_option("--first-seed", seeds.first);
  app.add_option("--last-seed", seeds.last);
  CLI11_PARSE(app, argc, argv);
  nlohmann::ordered_json all{{"seeds", {seeds.first, seeds.last}}, {"recordings", nlohmann::ordered_json::array()}};
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(HONE_REPLAY_FILES))
    if (std::string name = entry.path().filename();
        name.find(".space.") == name.npos && entry.path().extension() == ".json")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const std::string& file : files) all["recordings"].push_back(hone::tuner::run(file, seeds));
  for (const char* key : {"trials_to_random_128_median", "trials_to_95_median", "trials_to_99_median"}) {
    double worst = 0, random = 0;
    for (const auto& r : all["recordings"]) {
      worst = std::max(worst, r["evolutionary"][key].get<double>());
      random = std::max(random, r["random"][key].get<double>());
    }
    all[key] = worst;  // of the recordings
    all[hone::cat("random_", key)] = random;
  }
  if (json) std::printf("%s\n", all.dump().c_str());
  else std::printf("%s\n", all.dump(2).c_str());
  return 0;
}
