#include <cmath>

#include "base/cat.h"
#include "cli/report/drawings.h"
#include "cli/report/figure.h"
#include "cli/report/importance.h"
#include "schema/generated/error_text.h"

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
  std::vector<Bar> bars;
  for (const Ending& ending : endings(course)) {
    const bool ok = ending.outcome == ErrorCode::kOk;
    const std::string why = ok ? "" : cat(": ", error_text(ending.outcome), ending.first.empty() ? "" : "; the first: ", ending.first);
    bars.push_back({std::string(error_name(ending.outcome)),
                    static_cast<double>(ending.trials) / static_cast<double>(course.candidates.size()),
                    cat(ending.trials, why), ok ? "best" : "bad"});
  }
  if (bars.empty()) return "";
  return cat("<figure><h3>How trials ended</h3>\n", table(bars), "</figure>\n");
}

}  // namespace hone::report
