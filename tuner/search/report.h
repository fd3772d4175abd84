// TuneReport: what a search found, and its JSON form (`hone tune --json`).
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "codegen/schedule/trace.h"

namespace hone::tuner {

struct TaskReport {
  Hash id;
  std::string op;      // the task's name
  std::string shape;   // of the outputs, "1x64x56x56"
  int weight = 1;      // how often the model runs it
  int trials = 0;      // candidates measured, known ones included; the yardstick is none
  int trials_new = 0;  // of these, measured by this run
  std::map<std::string, int>
      errors;           // candidates without a time, by outcome; dropped before the device: by the compiler's code
  std::string refusal;  // why it has no schedule on this device; "" = it has
  double naive_ms = 0;  // 0 = unknown
  bool naive_estimated = false;  // by the yardsticks of similar tasks, because measuring it would have taken too long
  double seed_ms = 0;            // 0 = not measured
  double best_ms = 0;
  double gflops = 0;     // of the best
  int trials_to_95 = 0;  // trials until the best so far reached 95 % of the final speed; 0 = none
  // Of pairs of trials of this run at least 5 % apart, the share that the model's predictions put in the right order; none: it made none.
  std::optional<double> pairwise_accuracy;
  schedule::Trace best_trace;
  Hash best_source;
};

struct TuneReport {
  std::string job;
  nlohmann::ordered_json device;  // the fingerprint, with "key"
  std::string target;
  std::vector<TaskReport> tasks;
  int trials = 0, trials_new = 0;
  double trials_per_second = 0;  // of those measured by this run
  double wall_s = 0;
  double device_s = 0;  // of these, the device worked
  double slowdown =
      1;  // how many times as long as usual the agent's reference kernel took, by the median; 1 where nothing is usual
  bool cancelled = false;       // by the caller
  std::string stopped_because;  // "" = every task had its trials; else one sentence
};

// Sums over the tasks with their weights; a task without a time makes the sum 0.
double model_ms_naive(const TuneReport& report);
double model_ms_before(const TuneReport& report);
double model_ms_after(const TuneReport& report);

nlohmann::ordered_json to_json(const TuneReport& report);  // keys in the order of docs/cli.md

}  // namespace hone::tuner
