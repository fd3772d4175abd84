#include <algorithm>

#include "base/cat.h"
#include "base/number_text.h"
#include "cli/report/drawings.h"
#include "cli/report/figure.h"

namespace hone::report {

namespace {

std::string ms_text(double us) { return cat(number_text(us / 1000), " ms"); }

std::string key(const char* kind, const std::string& text) {
  return cat("<span class='word'><span class='key ", kind, "'></span>", text, "</span> ");
}

std::string legend(const TaskCourse& course) {
  std::string text = key("best", "best so far") + key("trial", "each trial");
  if (course.naive_us > 0) text += key("naive", cat("yardstick, ", ms_text(course.naive_us)));
  if (course.seed_us > 0) text += key("seed", cat("first seed, ", ms_text(course.seed_us)));
  return cat("<p>", text, "</p>\n");
}

std::vector<double> all_ms(const TaskCourse& course) {
  std::vector<double> all;
  for (const tuner::KnownTrial& trial : course.candidates) all.push_back(trial.latency_us / 1000);
  all.push_back(course.naive_us / 1000);
  all.push_back(course.seed_us / 1000);
  std::erase(all, 0);
  return all;
}

// The trials that were faster than all before them.
std::vector<size_t> improvements(const TaskCourse& course) {
  std::vector<size_t> trials;
  double best = 0;
  for (size_t i = 0; i < course.candidates.size(); ++i) {
    const double us = course.candidates[i].latency_us;
    if (us <= 0 || (best > 0 && us >= best)) continue;
    best = us;
    trials.push_back(i);
  }
  return trials;
}

void draw_best(const TaskCourse& course, double last, Figure& figure) {
  std::vector<Point> points;
  for (size_t i : improvements(course)) {
    const tuner::KnownTrial& trial = course.candidates[i];
    points.push_back({static_cast<double>(i + 1), trial.latency_us / 1000});
    figure.dot(points.back(), "best",
               cat("trial ", i + 1, ": ", ms_text(trial.latency_us), ", ", tuner::origin_name(trial.origin)));
  }
  if (points.empty()) return;
  points.push_back({last, points.back().y});
  figure.steps(points, "best");
}

}  // namespace

std::string curve(const TaskCourse& course) {
  const std::vector<double> times = all_ms(course);
  if (times.empty()) return "";
  const double last = std::max(1, course.trials);
  Figure figure({.label = "trials", .min = 0, .max = last}, log_axis("ms", times));
  if (course.naive_us > 0) figure.line({{0, course.naive_us / 1000}, {last, course.naive_us / 1000}}, "naive");
  if (course.seed_us > 0) figure.line({{0, course.seed_us / 1000}, {last, course.seed_us / 1000}}, "seed");
  for (size_t i = 0; i < course.candidates.size(); ++i)
    if (const double us = course.candidates[i].latency_us; us > 0)
      figure.dot({static_cast<double>(i + 1), us / 1000}, "trial", cat("trial ", i + 1, ": ", ms_text(us)), 2);
  draw_best(course, last, figure);
  return cat("<figure><h3>Best so far</h3>\n", legend(course), figure.svg("the best time after each trial"),
             "</figure>\n");
}

}  // namespace hone::report
