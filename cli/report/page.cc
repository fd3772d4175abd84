#include "cli/report/page.h"

#include "base/cat.h"
#include "base/number_text.h"
#include "cli/report/drawings.h"
#include "cli/report/figure.h"

namespace hone::report {

namespace {

constexpr const char* kStyle = R"css(
:root{--ink:#1c2024;--soft:#5c636a;--grid:#e3e6e9;--paper:#fff;--best:#1668b8;--naive:#8a6d00;--seed:#1a7f5a;--bad:#c2410c}
@media(prefers-color-scheme:dark){:root{--ink:#e4e6e8;--soft:#a0a6ac;--grid:#33383e;--paper:#16181b;--best:#6db3f2;--naive:#d9b44a;
--seed:#5cc79b;--bad:#f2895c}}
body{font:15px/1.5 system-ui,sans-serif;max-width:66rem;margin:2rem auto;padding:0 1rem;color:var(--ink);background:var(--paper)}
h1{font-size:1.4rem;margin-bottom:.2rem}h2{font-size:1.15rem;margin:2.5rem 0 .2rem}h3{font-size:1rem;margin:.8rem 0 .1rem}
p{margin:.1rem 0;color:var(--soft)}figure{margin:0;min-width:0}section{break-inside:avoid}
.drawings{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(26rem,100%),1fr));gap:.5rem 2.5rem}
svg{width:100%;max-width:34rem;height:auto;display:block}
svg text{font:11px system-ui,sans-serif;fill:var(--soft)}svg text.name{fill:var(--ink);paint-order:stroke;stroke:var(--paper);stroke-width:3px}svg line{stroke:var(--grid)}
path{fill:none;stroke-width:2}path.best{stroke:var(--best)}path.naive{stroke:var(--naive);stroke-dasharray:6 4}
path.guide{stroke:var(--soft);stroke-width:1.5}path.seed{stroke:var(--seed);stroke-dasharray:2 4}
circle.best{fill:var(--best)}circle.trial{fill:var(--soft);opacity:.55}circle.seen{fill:var(--best);opacity:.65}
.word{white-space:nowrap;margin-right:.6em}.key{display:inline-block;width:1.4em;height:0;margin-right:.4em;vertical-align:middle;border-top:3px solid var(--best)}
.key.trial{width:6px;height:6px;border:0;border-radius:50%;background:var(--soft)}
.key.naive{border-top-style:dashed;border-color:var(--naive)}.key.seed{border-top-style:dotted;border-color:var(--seed)}
table{border-collapse:collapse;width:100%;max-width:34rem;font-size:.87rem}th{font-weight:normal;text-align:left;white-space:nowrap}
th,td{padding:.1rem .6rem .1rem 0}td:nth-child(2){width:50%}td:last-child{white-space:nowrap}
i{display:block;height:.7rem;min-width:1px;border-radius:2px;background:var(--best)}i.bad{background:var(--bad)}
)css";

std::string summary(const TaskCourse& course) {
  const double best = best_us(course);
  if (best == 0) return cat("<p>", counted(course.trials, "trial"), ", none with a time</p>\n");
  std::string text = cat(counted(course.trials, "trial"), ", best ", number_text(best / 1000), " ms");
  if (course.task.flops > 0) text += cat(", ", number_text(course.task.flops / best / 1000), " GFLOP/s");
  if (course.naive_us > 0) text += cat(", ", number_text(course.naive_us / best), "× as fast as naive");
  if (course.seed_us > 0) text += cat(", ", number_text(course.seed_us / best), "× as fast as its first seed");
  return cat("<p>", text, "</p>\n");
}

std::string section(const TaskCourse& course, size_t number) {
  return cat("<section><h2>", number, ". ", escaped(course.task.name), "</h2>\n", summary(course),
             "<div class='drawings'>\n", curve(course), predictions(course), importance(course), outcomes(course),
             "</div></section>\n");
}

std::string head(const JobCourse& course) {
  const tuner::JobInfo& job = course.job;
  std::string text = cat(escaped(job.kind), ", ", escaped(job.state), ", ", escaped(course.device));
  if (job.ended_unix_ms >= job.started_unix_ms)  // else it runs, or the clock was set back meanwhile
    text += cat(", took ", duration_text(static_cast<double>(job.ended_unix_ms - job.started_unix_ms) / 1000));
  return cat("<h1>", escaped(title(course)), "</h1>\n<p>", text, "</p>\n",
             job.message.empty() ? "" : cat("<p>", escaped(job.message), "</p>\n"));
}

}  // namespace

std::string page(const JobCourse& course) {
  std::string text = cat(
      "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>\n<meta name='viewport' "
      "content='width=device-width'>\n<meta name='color-scheme' content='light dark'>\n<title>hone: ",
      escaped(title(course)), "</title>\n<style>", kStyle, "</style></head>\n<body>\n", head(course), roofline(course));
  for (size_t i = 0; i < course.tasks.size(); ++i) text += section(course.tasks[i], i + 1);
  return text + "</body></html>\n";
}

}  // namespace hone::report
