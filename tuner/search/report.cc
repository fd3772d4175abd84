#include "tuner/search/report.h"

namespace hone::tuner {

namespace {

double weighted_sum(const TuneReport& report, double TaskReport::*time_ms) {
  double sum = 0;
  for (const TaskReport& task : report.tasks) {
    if (task.*time_ms <= 0) return 0;
    sum += task.weight * (task.*time_ms);
  }
  return sum;
}

nlohmann::ordered_json to_json(const TaskReport& task) {
  return {{"id", task.id.hex()},
          {"op", task.op},
          {"shape", task.shape},
          {"weight", task.weight},
          {"trials", task.trials},
          {"trials_new", task.trials_new},
          {"errors", task.errors},
          {"naive_ms", task.naive_ms},
          {"naive_estimated", task.naive_estimated},
          {"seed_ms", task.seed_ms},
          {"best_ms", task.best_ms},
          {"gflops", task.gflops},
          {"trials_to_95", task.trials_to_95},
          {"refusal", task.refusal.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(task.refusal)},
          {"pairwise_accuracy", task.pairwise_accuracy ? nlohmann::ordered_json(*task.pairwise_accuracy) : nullptr}};
}

}  // namespace

double model_ms_naive(const TuneReport& report) { return weighted_sum(report, &TaskReport::naive_ms); }
double model_ms_before(const TuneReport& report) { return weighted_sum(report, &TaskReport::seed_ms); }
double model_ms_after(const TuneReport& report) { return weighted_sum(report, &TaskReport::best_ms); }

nlohmann::ordered_json to_json(const TuneReport& report) {
  nlohmann::ordered_json tasks = nlohmann::ordered_json::array();
  for (const TaskReport& task : report.tasks) tasks.push_back(to_json(task));
  return {{"job", report.job},
          {"device", report.device},
          {"target", report.target},
          {"tasks", tasks},
          {"trials", report.trials},
          {"trials_new", report.trials_new},
          {"trials_per_second", report.trials_per_second},
          {"wall_s", report.wall_s},
          {"device_s", report.device_s},
          {"model_ms_naive", model_ms_naive(report)},
          {"model_ms_before", model_ms_before(report)},
          {"model_ms_after", model_ms_after(report)},
          {"slowdown", report.slowdown},
          {"cancelled", report.cancelled},
          {"stopped_because", report.stopped_because}};
}

}  // namespace hone::tuner
