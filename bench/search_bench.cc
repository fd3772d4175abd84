// scripts/bench search [--json]: what the search and its cost model do on the recordings of tests/replay, without first schedules of the estimate.
// --first-seed 1, --last-seed 10, --trials 240; --only NAME… takes some recordings alone; --rows FILE writes features and speeds as CSV.
// --accuracy instead: how well the cost model orders after 24, 48 and 96 kernels of a recording, alone and on top of what it knows of whole other operators or of
// another device.
// --job TRIALS instead: memory and time of one search of so many trials over ten tasks, on a simulated GPU.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/cat.h"
#include "bench/search/big_job.h"
#include "bench/search/courses.h"
#include "bench/search/model_quality.h"

namespace hone::bench {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  Seeds seeds;
  int trials = 240;
  int job_trials = 0;
  bool json = false, accuracy = false;
  std::vector<std::string> only, strategies = tuner::strategy_names();
  std::string rows_file;
};

// Recordings of the same target but for those of the same operator (across shapes), or on the same device (across devices).
std::vector<const RecordedTask*> others_of(const RecordedTask& task, const std::vector<RecordedTask>& all,
                                           bool device) {
  std::vector<const RecordedTask*> others;
  for (const RecordedTask& other : all)
    if (other.recording.target == task.recording.target &&
        (device ? other.device != task.device : other.device == task.device && other.recording.op != task.recording.op))
      others.push_back(&other);
  return others;
}

Json strategies_of(const RecordedTask& task, const Options& options) {
  const double best_us = task.recording.best_us();
  Json result;
  for (const std::string& name : options.strategies) {
    const Courses courses = search(task, *tuner::parse_strategy(name), options.seeds, options.trials);
    result[name] = {{"trials_to_95_median", courses.trials_until_median(best_us / 0.95)},
                    {"trials_to_99_median", courses.trials_until_median(best_us / 0.99)},
                    {"server_ms_per_trial", courses.ms_per_trial}};
  }
  return result;
}

Json json_of(const ModelQuality& quality) {
  return {{"pairwise_accuracy", quality.pairwise}, {"best_of_8", quality.best_of_8}};
}

Json run(const RecordedTask& task, const std::vector<RecordedTask>& all, const Options& options) {
  Json result{{"name", task.name},
              {"op", task.recording.op},
              {"kernels", task.recording.kernels.size()},
              {"best_us", task.recording.best_us()},
              {"features_per_second", task.features_per_second},
              {"folds", json_of(across_folds(task))}};
  if (auto others = others_of(task, all, false); !others.empty()) result["shapes"] = json_of(of_others(task, others));
  result["strategies"] = strategies_of(task, options);
  result["even_draws_trials_to_95_median"] = even_draws_until_median(task.recording, task.recording.best_us() / 0.95);
  auto elsewhere = others_of(task, all, true);
  if (elsewhere.empty()) return result;
  result["devices"] = json_of(of_others(task, elsewhere));
  const Courses warm = search(task, tuner::StrategyKind::kEvolutionary, options.seeds, options.trials, elsewhere);
  result["warm_trials_to_95_median"] = warm.trials_until_median(task.recording.best_us() / 0.95);
  return result;
}

Json accuracy_of(const RecordedTask& task, const std::vector<RecordedTask>& all) {
  Json result{{"name", task.name}};
  const auto operators = model_of(others_of(task, all, false)), device = model_of(others_of(task, all, true));
  for (const size_t rows : {24, 48, 96}) {
    Json& one = result[cat("rows_", rows)] = {{"alone", after_rows(task, nullptr, rows).pairwise}};
    if (operators) one["other_operators"] = after_rows(task, operators, rows).pairwise;
    if (device) one["other_device"] = after_rows(task, device, rows).pairwise;
  }
  return result;
}

int run_accuracy(const Options& options, const std::vector<RecordedTask>& tasks) {
  Json all = Json::array();
  for (const RecordedTask& task : tasks)
    if (options.only.empty() || std::count(options.only.begin(), options.only.end(), task.name) > 0) all.push_back(accuracy_of(task, tasks));
  std::printf("%s\n", options.json ? all.dump().c_str() : all.dump(2).c_str());
  return 0;
}

// The worst of the recordings, so that no good one hides a bad one.
void summarise(Json& all) {
  auto worst = [&all](const char* key, const Json::json_pointer& path, bool least) {
    std::vector<double> values;
    for (const Json& r : all["recordings"])
      if (r.contains(path)) values.push_back(r.at(path).get<double>());
    if (!values.empty())
      all[key] =
          least ? *std::min_element(values.begin(), values.end()) : *std::max_element(values.begin(), values.end());
  };
  using P = Json::json_pointer;
  worst("trials_to_95_median", P("/strategies/evolutionary/trials_to_95_median"), false);
  worst("trials_to_99_median", P("/strategies/evolutionary/trials_to_99_median"), false);
  worst("random_trials_to_95_median", P("/strategies/random/trials_to_95_median"), false);
  worst("even_draws_trials_to_95_median", P("/even_draws_trials_to_95_median"), false);
  worst("pairwise_accuracy", P("/folds/pairwise_accuracy"), true);
  worst("best_of_8", P("/folds/best_of_8"), true);
  worst("pairwise_accuracy_shapes", P("/shapes/pairwise_accuracy"), true);
  worst("pairwise_accuracy_devices", P("/devices/pairwise_accuracy"), true);
  worst("features_per_second", P("/features_per_second"), true);
}

void write_rows(const std::vector<RecordedTask>& tasks, const std::string& file) {
  std::ofstream out(file);
  out << "name,speed";
  for (const std::string& name : tuner::feature_names()) out << "," << name;
  for (const RecordedTask& task : tasks)
    for (const tuner::CostRow& row : task.rows) {
      out << "\n" << task.name << "," << row.speed;
      for (float f : row.features) out << "," << f;
    }
  out << "\n";
}

int run_job(const Options& options) {
  const BigJob job = big_job(options.job_trials);
  const Json all{
      {"trials", job.trials}, {"server_ms_per_trial", job.ms_per_trial}, {"memory_mb_max", job.memory_mb_max}};
  std::printf("%s\n", options.json ? all.dump().c_str() : all.dump(2).c_str());
  return 0;
}

int run(const Options& options) {
  const std::vector<RecordedTask> tasks = load_recorded_tasks(HONE_REPLAY_FILES);
  if (!options.rows_file.empty()) {
    write_rows(tasks, options.rows_file);
    return 0;
  }
  if (options.accuracy) return run_accuracy(options, tasks);
  Json all{{"seeds", {options.seeds.first, options.seeds.last}}, {"recordings", Json::array()}};
  for (const RecordedTask& task : tasks) {
    const auto& only = options.only;
    if (!only.empty() && std::find(only.begin(), only.end(), task.name) == only.end()) continue;
    std::fprintf(stderr, "%s\n", task.name.c_str());
    all["recordings"].push_back(run(task, tasks, options));
  }
  summarise(all);
  std::printf("%s\n", options.json ? all.dump().c_str() : all.dump(2).c_str());
  return 0;
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  hone::bench::Options options;
  CLI::App app("What the search and its cost model do on the recordings of tests/replay");
  app.add_flag("--json", options.json);
  app.add_flag("--accuracy", options.accuracy);
  app.add_option("--first-seed", options.seeds.first);
  app.add_option("--last-seed", options.seeds.last);
  app.add_option("--trials", options.trials);
  app.add_option("--only", options.only);
  app.add_option("--strategies", options.strategies)->check(CLI::IsMember(hone::tuner::strategy_names()));
  app.add_option("--rows", options.rows_file);
  app.add_option("--job", options.job_trials);
  CLI11_PARSE(app, argc, argv);
  return options.job_trials > 0 ? hone::bench::run_job(options) : hone::bench::run(options);
}
