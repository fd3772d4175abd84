#include <algorithm>
#include <cmath>
#include <map>

#include "base/cat.h"
#include "cli/report/drawings.h"
#include "cli/report/figure.h"
#include "cli/report/importance.h"

namespace hone::report {

namespace {

constexpr size_t kDecisionsShown = 10;
constexpr double kShareShown = 0.01;

struct Bar {
  std::string name;
  double share = 0;  // of the whole width
  std::string text;
  const char* kind = "best";
};

std::string table(const std::vector<Bar>& bars) {
  std::string rows;
  for (const Bar& bar : bars)
    rows += cat("<tr><th>", escaped(bar.name), "</th><td><i class='", bar.kind,
                "' style='width:", std::lround(100 * bar.share), "%'></i></td><td>", escaped(bar.text), "</td></tr>\n");
  return cat("<table>", rows, "</table>");
}

}  // namespace

std::string importance(const TaskCourse& course) {
  std::vector<Bar> bars;
  for (const Importance& one : decision_importance(course.candidates))
    if (one.share >= kShareShown && bars.size() < kDecisionsShown)
      bars.push_back({one.decision, one.share, cat(std::lround(100 * one.share), " %, best ", one.best_value)});
  if (bars.empty()) return "";
  return cat(
      "<figure><h3>Decisions that matter</h3>\n<p>What each decision alone explains of the variance of log time, "
      "chance taken off, and its value with the least mean.</p>\n",
      table(bars), "</figure>\n");
}

std::string outcomes(const TaskCourse& course) {
  std::map<std::string, int> counts;
  for (const tuner::KnownTrial& trial : course.candidates) ++counts[std::string(error_name(trial.outcome))];
  std::vector<Bar> bars;
  for (const auto& [name, count] : counts)
    bars.push_back({name, static_cast<double>(count) / static_cast<double>(course.candidates.size()), cat(count),
                    name == error_name(ErrorCode::kOk) ? "best" : "bad"});
  if (bars.empty()) return "";
  std::stable_sort(bars.begin(), bars.end(), [](const Bar& a, const Bar& b) { return a.share > b.share; });
  return cat("<figure><h3>How trials ended</h3>\n", table(bars), "</figure>\n");
}

}  // namespace hone::report
