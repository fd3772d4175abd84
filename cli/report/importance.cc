#include "cli/report/importance.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "codegen/schedule/trace.h"

namespace hone::report {

namespace {

using LogTimes = std::vector<double>;
using ByValue = std::map<std::string, LogTimes>;

// "tile: rows=8 lanes=4" → rows, lanes; none for a trace without words.
std::map<std::string, std::string> decisions_of(const std::string& trace_json) {
  std::map<std::string, std::string> decisions;
  auto trace = schedule::trace_from_json(trace_json);
  if (!trace.ok()) return decisions;
  std::istringstream words(trace->sketch);
  for (std::string word; words >> word;)
    if (size_t at = word.find('='); at != std::string::npos) decisions[word.substr(0, at)] = word.substr(at + 1);
  return decisions;
}

double mean(const LogTimes& times) {
  double sum = 0;
  for (double t : times) sum += t;
  return sum / static_cast<double>(times.size());
}

double squares_around_mean(const LogTimes& times) {
  const double middle = mean(times);
  double sum = 0;
  for (double t : times) sum += (t - middle) * (t - middle);
  return sum;
}

// The adjusted coefficient of determination of a one-way layout.
double explained(const ByValue& by_value) {
  LogTimes all;
  double within = 0;
  for (const auto& [value, times] : by_value) {
    all.insert(all.end(), times.begin(), times.end());
    within += squares_around_mean(times);
  }
  const double total = squares_around_mean(all);
  const auto n = static_cast<double>(all.size()), groups = static_cast<double>(by_value.size());
  if (groups < 2 || n <= groups || total <= 0) return 0;
  return std::max(0.0, 1 - within / (n - groups) / (total / (n - 1)));
}

std::string best_of(const ByValue& by_value) {
  return std::min_element(by_value.begin(), by_value.end(),
                          [](const auto& a, const auto& b) { return mean(a.second) < mean(b.second); })
      ->first;
}

}  // namespace

std::vector<Importance> decision_importance(const std::vector<tuner::KnownTrial>& trials) {
  std::map<std::string, ByValue> decisions;
  for (const tuner::KnownTrial& trial : trials) {
    if (trial.latency_us <= 0) continue;
    for (const auto& [key, value] : decisions_of(trial.trace_json))
      decisions[key][value].push_back(std::log(trial.latency_us));
  }
  std::vector<Importance> all;
  for (const auto& [key, by_value] : decisions)
    if (by_value.size() > 1) all.push_back({key, explained(by_value), best_of(by_value)});
  std::stable_sort(all.begin(), all.end(), [](const Importance& a, const Importance& b) { return a.share > b.share; });
  return all;
}

}  // namespace hone::report
