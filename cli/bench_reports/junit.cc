// JUnit XML as Ant writes it and Jenkins, GitLab and GitHub's actions read it (junit.xsd): what was not measured is never a pass.
#include <cstdio>
#include <map>

#include "base/cat.h"
#include "base/printable_text.h"
#include "base/utc_text.h"
#include "cli/bench_reports/formats.h"
#include "cli/bench_reports/rows.h"

namespace hone::bench_reports {

namespace {

// XML 1.0 has no way to write control characters, nor U+FFFE and U+FFFF: they stand as \u001b.
std::string without_noncharacters(std::string text) {
  for (const auto& [bytes, shown] : {std::pair{"\xef\xbf\xbe", "\\ufffe"}, {"\xef\xbf\xbf", "\\uffff"}})
    for (size_t at = 0; (at = text.find(bytes, at)) != std::string::npos;) text.replace(at, 3, shown);
  return text;
}

std::string xml(const std::string& text) {
  std::string out;
  for (const char c : without_noncharacters(printable(text)))
    out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
  return out;
}

std::string attribute(const char* name, const std::string& value) { return cat(" ", name, "=\"", xml(value), "\""); }

std::string seconds_text(double ms) {
  char text[64];
  std::snprintf(text, sizeof text, "%.3f", ms / 1000);
  return text;
}

struct Suite {
  const protocol::BenchDevice* device = nullptr;  // null: there was none
  std::vector<Row> rows;
};

std::vector<Suite> suites_of(const protocol::BenchReport& report) {
  std::vector<Suite> suites;
  std::map<std::string, size_t> places;  // by the device's id and the kind of kernels
  for (const Row& row : rows_of(report)) {
    const protocol::BenchDevice* device = row.result->device ? &*row.result->device : nullptr;
    const auto [place, fresh] =
        places.emplace(device ? cat(device->device_id, "\n", device->target) : "", suites.size());
    if (fresh) suites.push_back({.device = device});
    suites[place->second].rows.push_back(row);
  }
  return suites;
}

enum class Outcome : uint8_t { kPassed, kFailure, kError, kSkipped };

Outcome outcome_of(const protocol::BenchReport& report, const Row& row) {
  if (row.regression) return Outcome::kFailure;
  if (row.standing == Standing::kSkipped) return Outcome::kSkipped;
  if (row.standing == Standing::kFailed) return report.fail_above ? Outcome::kError : Outcome::kSkipped;
  return Outcome::kPassed;
}

// "tests", "failures", "errors", "skipped" and "time" of these rows.
std::string totals(const protocol::BenchReport& report, const std::vector<Row>& rows) {
  std::map<Outcome, size_t> counts;
  double took_ms = 0;
  for (const Row& row : rows) {
    ++counts[outcome_of(report, row)];
    took_ms += row.result->took_ms;
  }
  return cat(" tests=\"", rows.size(), "\" failures=\"", counts[Outcome::kFailure], "\" errors=\"",
             counts[Outcome::kError], "\" skipped=\"", counts[Outcome::kSkipped], "\" time=\"", seconds_text(took_ms),
             "\"");
}

std::string property(const char* name, const std::string& value) {
  return value.empty() ? "" : cat("<property", attribute("name", name), attribute("value", value), "/>\n");
}

std::string properties(const protocol::BenchReport& report, const protocol::BenchDevice* device) {
  std::string text = "<properties>\n";
  if (device)
    text += cat(property("device", device->text), property("device.id", device->device_id),
                property("device.class", device->device_key), property("target", device->target),
                property("browser", device->browser));
  text +=
      cat(property("new_build", build_text(report.new_build)), property("new_build.made_by", report.new_build.made_by));
  if (report.old_build)
    text += cat(property("old_build", build_text(*report.old_build)),
                property("old_build.made_by", report.old_build->made_by));
  return text + "</properties>\n";
}

std::string outcome_text(const protocol::BenchReport& report, const Row& row) {
  const std::string why = sentence(report, row);
  switch (outcome_of(report, row)) {
    case Outcome::kFailure:
      return cat("<failure type=\"regression\"", attribute("message", why), "/>");
    case Outcome::kError:
      return cat("<error type=\"not_measured\"", attribute("message", why), "/>");
    case Outcome::kSkipped:
      return cat("<skipped",
                 attribute("message", row.standing == Standing::kFailed ? cat("it could not be measured: ", why) : why),
                 "/>");
    case Outcome::kPassed:
      break;
  }
  return cat("<system-out>", xml(why), "</system-out>");
}

std::string testcase(const protocol::BenchReport& report, const Row& row) {
  return cat("<testcase", attribute("classname", cat(report.suite, " on ", device_name(*row.result))),
             attribute("name", row.of->name), " time=\"", seconds_text(row.result->took_ms), "\">",
             outcome_text(report, row), "</testcase>\n");
}

std::string testsuite(const protocol::BenchReport& report, const Suite& suite) {
  const std::string name = suite.device ? cat(device_name(*suite.device), ", ", suite.device->target) : "no device";
  std::string text = cat("<testsuite", attribute("name", name), totals(report, suite.rows), " timestamp=\"",
                         utc_text(static_cast<int64_t>(report.started_unix_ms)).substr(0, 19), "\">\n",
                         properties(report, suite.device));
  for (const Row& row : suite.rows) text += testcase(report, row);
  return text + "</testsuite>\n";
}

}  // namespace

std::string junit_report(const protocol::BenchReport& report) {
  std::string text = cat("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites", attribute("name", report.suite),
                         totals(report, rows_of(report)), ">\n");
  for (const Suite& suite : suites_of(report)) text += testsuite(report, suite);
  return text + "</testsuites>\n";
}

}  // namespace hone::bench_reports
