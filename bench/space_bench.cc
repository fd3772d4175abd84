// scripts/bench space [--json]: how good the tuner's space, its first schedule and its search are on simulated GPUs of published hardware
// (bench/space/kernel_time.h), and how good the first eight trials are on the recordings of tests/replay.
// --seeds 3: of the searches on hardware, medians; --trials 64; --gpus NAME… and --tasks NAME… take some alone; --no-recordings leaves
// those out. --design: the tasks on which estimates are made in place of those that judge them; the best of the searches stands for a yardstick.
// --yardstick DRAWS [--threads 2] instead: draws schedules for the pairs that bench/space/hardware_best.json does not have with so many
// draws.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/median.h"
#include "bench/space/first_trials.h"
#include "bench/space/hardware_search.h"
#include "bench/space/hardware_tasks.h"
#include "bench/space/yardstick.h"

namespace hone::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFirstTrials = 8;

struct Options {
  int seeds = 3, recording_seeds = 10, trials = 64, draws = 0, threads = 2;
  bool json = false, no_recordings = false, design = false;
  std::vector<std::string> gpus, tasks;
};

bool is_wanted(const std::vector<std::string>& only, const std::string& name) {
  return only.empty() || std::find(only.begin(), only.end(), name) != only.end();
}

std::vector<Hardware> wanted_gpus(const Options& options) {
  std::vector<Hardware> gpus = hardware_gpus();
  std::erase_if(gpus, [&](const Hardware& g) { return !is_wanted(options.gpus, g.name); });
  return gpus;
}

std::vector<HardwareTask> wanted_tasks(const Options& options) {
  std::vector<HardwareTask> tasks = options.design ? design_tasks() : hardware_tasks();
  std::erase_if(tasks, [&](const HardwareTask& t) { return !is_wanted(options.tasks, t.name); });
  return tasks;
}

Json on_hardware(const Hardware& gpu, const HardwareTask& task, const std::vector<Yardstick>& yardsticks, const Options& options) {
  std::fprintf(stderr, "%s %s\n", gpu.name.c_str(), task.name.c_str());
  const double first_us = first_schedule_us(gpu, task.task), yardstick = yardstick_us(yardsticks, gpu, task);
  std::vector<double> searched;
  for (int seed = 1; seed <= options.seeds; ++seed)
    searched.push_back(searched_us(gpu, task.task, options.trials, static_cast<uint64_t>(seed)));
  double best_us = std::min(first_us, *std::min_element(searched.begin(), searched.end()));
  if (yardstick > 0) best_us = std::min(best_us, yardstick);
  return {{"gpu", gpu.name},         {"task", task.name},
          {"best_us", best_us},      {"yardstick_us", yardstick},
          {"first_us", first_us},    {"searched_us_median", median(searched)},
          {"first", best_us / first_us}, {"searched", best_us / median(searched)}};
}

Json on_recording(const RecordedSpace& recorded, const Options& options) {
  std::fprintf(stderr, "%s\n", recorded.name.c_str());
  std::vector<double> us;
  for (int seed = 1; seed <= options.recording_seeds; ++seed)
    us.push_back(best_of_first_us(recorded.recording, kFirstTrials, static_cast<uint64_t>(seed)));
  return {{"name", recorded.name}, {"best_us", recorded.recording.best_us()}, {"first8_us_median", median(us)},
          {"first8", recorded.recording.best_us() / median(us)}};
}

std::vector<double> values(const Json& rows, const char* key) {
  std::vector<double> all;
  for (const Json& row : rows) all.push_back(row.at(key));
  return all;
}

double geomean(const std::vector<double>& values) {
  double sum = 0;
  for (double v : values) sum += std::log(v);
  return values.empty() ? 0 : std::exp(sum / static_cast<double>(values.size()));
}

void print_tables(const Json& all) {
  std::printf("%-11s %-19s %10s %10s %10s %6s %8s\n", "gpu", "task", "best us", "first us", "found us", "first", "searched");
  for (const Json& r : all["hardware"])
    std::printf("%-11s %-19s %10.1f %10.1f %10.1f %6.3f %8.3f\n", r["gpu"].get<std::string>().c_str(), r["task"].get<std::string>().c_str(),
                r["best_us"].get<double>(), r["first_us"].get<double>(), r["searched_us_median"].get<double>(), r["first"].get<double>(),
                r["searched"].get<double>());
  std::printf("\n%-24s %10s %10s %7s\n", "recording", "best us", "first 8 us", "first 8");
  for (const Json& r : all["recordings"])
    std::printf("%-24s %10.1f %10.1f %7.3f\n", r["name"].get<std::string>().c_str(), r["best_us"].get<double>(),
                r["first8_us_median"].get<double>(), r["first8"].get<double>());
  std::printf("\n");
  for (const char* key : {"hardware_first_geomean", "hardware_64_geomean", "first8_geomean", "first8_min"})
    if (all.contains(key)) std::printf("%-24s %.3f\n", key, all[key].get<double>());
}

void summarise(Json& all) {
  if (!all["hardware"].empty()) {
    all["hardware_first_geomean"] = geomean(values(all["hardware"], "first"));
    all["hardware_64_geomean"] = geomean(values(all["hardware"], "searched"));
  }
  if (all["recordings"].empty()) return;
  const std::vector<double> first8 = values(all["recordings"], "first8");
  all["first8_geomean"] = geomean(first8);
  all["first8_min"] = *std::min_element(first8.begin(), first8.end());
}

int run(const Options& options) {
  const std::vector<Yardstick> yardsticks = load_yardsticks(HONE_HARDWARE_BEST);
  Json all{{"trials", options.trials}, {"hardware", Json::array()}, {"recordings", Json::array()}};
  const std::vector<HardwareTask> tasks = wanted_tasks(options);
  for (const Hardware& gpu : wanted_gpus(options))
    for (const HardwareTask& task : tasks) all["hardware"].push_back(on_hardware(gpu, task, yardsticks, options));
  if (!options.no_recordings)
    for (const RecordedSpace& recorded : load_recorded_spaces(HONE_REPLAY_FILES))
      all["recordings"].push_back(on_recording(recorded, options));
  summarise(all);
  if (options.json) std::printf("%s\n", all.dump().c_str());
  else print_tables(all);
  return 0;
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  hone::bench::Options options;
  CLI::App app("The tuner's space on simulated hardware, and the first trials on recordings");
  app.add_flag("--json", options.json);
  app.add_flag("--no-recordings", options.no_recordings);
  app.add_flag("--design", options.design);
  app.add_option("--seeds", options.seeds)->check(CLI::PositiveNumber);
  app.add_option("--trials", options.trials)->check(CLI::PositiveNumber);
  app.add_option("--gpus", options.gpus);
  app.add_option("--tasks", options.tasks);
  app.add_option("--yardstick", options.draws)->check(CLI::PositiveNumber);
  app.add_option("--threads", options.threads)->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  if (options.draws == 0) return hone::bench::run(options);
  using namespace hone::bench;
  find_yardsticks(wanted_gpus(options), wanted_tasks(options), {options.draws, options.threads}, HONE_HARDWARE_BEST);
  return 0;
}
