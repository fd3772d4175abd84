#include <cmath>

#include "base/cat.h"
#include "base/number_text.h"
#include "cli/report/drawings.h"
#include "cli/report/figure.h"

namespace hone::report {

std::string predictions(const TaskCourse& course) {
  const std::optional<double> in_order = predicted_in_order(course);
  if (!in_order) return "";
  std::vector<double> all_ms;
  std::vector<Point> points;
  for (const tuner::KnownTrial& trial : course.candidates) {
    if (trial.predicted_us <= 0 || trial.latency_us <= 0) continue;
    points.push_back({trial.predicted_us / 1000, trial.latency_us / 1000});
    all_ms.insert(all_ms.end(), {points.back().x, points.back().y});
  }
  Axis measured = log_axis("measured, ms", all_ms), predicted = measured;
  predicted.label = "predicted, ms";
  Figure figure(predicted, measured);
  figure.line({{measured.min, measured.min}, {measured.max, measured.max}}, "guide");
  for (const Point& p : points)
    figure.dot(p, "seen", cat(number_text(p.y), " ms measured, ", number_text(p.x), " ms predicted"));
  return cat("<figure><h3>Predicted and measured</h3>\n<p>Of two of these ", points.size(),
             " trials at least 5 % apart, the model knew the faster one in ", std::lround(100 * *in_order),
             " % of the cases.</p>\n", figure.svg("predicted against measured times"), "</figure>\n");
}

}  // namespace hone::report
