#include "cli/report_page.h"

#include <algorithm>

#include "base/cat.h"
#include "base/number_text.h"
#include "cli/console.h"

namespace hone::cli {

namespace {

constexpr double kWidth = 640, kHeight = 160, kLeft = 70, kBottom = 24, kTop = 8, kRight = 12;  // of a drawing, pixels

constexpr const char* kStyle =
    "body{font:15px/1.5 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 "
    "1rem;color:#1c2024;background:#fff}"
    "h1{font-size:1.4rem}h2{font-size:1rem;margin:2rem 0 .3rem}p{margin:.2rem 0;color:#555}svg{width:100%;height:auto}"
    "text{font:11px system-ui,sans-serif;fill:#666}path{fill:none;stroke:#1668b8;stroke-width:2}line{stroke:#ccc}"
    "circle{fill:#1668b8}@media(prefers-color-scheme:dark){body{background:#16181b;color:#e4e6e8}p{color:#aaa}text{"
    "fill:#999}"
    "line{stroke:#444}path{stroke:#6db3f2}circle{fill:#6db3f2}}";

std::string escaped(const std::string& text) {
  std::string out;
  for (char c : text)
    out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
  return out;
}

// Where trials and times lie in the drawing; times from 0, so that lengths can be compared.
struct Scale {
  double trials_max = 1, us_max = 1;
  double x(double trial) const { return kLeft + (kWidth - kLeft - kRight) * trial / trials_max; }
  double y(double us) const { return kTop + (kHeight - kTop - kBottom) * (1 - us / us_max); }
};

std::string label(double x, double y, const char* anchor, const std::string& text) {
  return cat("<text x='", x, "' y='", y, "' text-anchor='", anchor, "'>", text, "</text>");
}

std::string axes(const Scale& scale) {
  const double bottom = scale.y(0);
  return cat("<line x1='", kLeft, "' y1='", bottom, "' x2='", kWidth - kRight, "' y2='", bottom, "'/>",
             label(kLeft - 6, scale.y(scale.us_max) + 8, "end", cat(number_text(scale.us_max / 1000), " ms")),
             label(kLeft - 6, bottom, "end", "0"), label(kLeft, kHeight - 8, "middle", "0"),
             label(kWidth - kRight, kHeight - 8, "end", cat(static_cast<int>(scale.trials_max), " trials")));
}

std::string steps(const JobCourse::Task& task, const Scale& scale) {
  std::string path, dots;
  for (const JobCourse::Step& step : task.steps) {
    const double x = scale.x(step.trial), y = scale.y(step.best_us);
    path += path.empty() ? cat("M", x, " ", y) : cat("H", x, "V", y);
    dots += cat("<circle cx='", x, "' cy='", y, "' r='3'><title>trial ", step.trial, ": ",
                number_text(step.best_us / 1000), " ms, ", step.origin, "</title></circle>");
  }
  return cat("<path d='", path, "H", scale.x(scale.trials_max), "'/>", dots);
}

std::string section(const JobCourse::Task& task) {
  std::string text = cat("<h2>", escaped(task.name), "</h2>\n");
  if (task.steps.empty()) return text + cat("<p>", task.trials, " trials, none with a time</p>\n");
  Scale scale{.trials_max = std::max(1.0, static_cast<double>(task.trials)), .us_max = task.steps.front().best_us};
  return text + cat("<p>", task.trials, " trials, from ", number_text(task.steps.front().best_us / 1000), " ms to ",
                    number_text(task.steps.back().best_us / 1000), " ms</p>\n<svg viewBox='0 0 ", kWidth, " ", kHeight,
                    "' role='img'>", axes(scale), steps(task, scale), "</svg>\n");
}

}  // namespace

std::string job_report_page(const JobCourse& course) {
  const tuner::JobInfo& job = course.job;
  std::string page =
      cat("<!doctype html>\n<html lang='en'><meta charset='utf-8'><meta name='viewport' "
          "content='width=device-width'>\n<title>hone: job ",
          escaped(job.id), "</title>\n<style>", kStyle, "</style>\n<h1>Job ", escaped(job.id), "</h1>\n<p>",
          escaped(job.kind), ", ", escaped(job.state), ", device ", escaped(job.device_key));
  if (job.ended_unix_ms > 0)
    page += cat(", took ", duration_text(static_cast<double>(job.ended_unix_ms - job.started_unix_ms) / 1000));
  page += cat("</p>\n", job.message.empty() ? "" : cat("<p>", escaped(job.message), "</p>\n"),
              "<p>The best time so far after each trial, the yardstick first.</p>\n");
  for (const JobCourse::Task& task : course.tasks) page += section(task);
  return page + "</html>\n";
}

}  // namespace hone::cli
