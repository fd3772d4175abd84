#include "cli/bench_reports/reports.h"

#include <algorithm>

#include "base/json_text.h"
#include "cli/bench_reports/formats.h"
#include "cli/bench_reports/rows.h"

namespace hone::bench_reports {

namespace {

constexpr const char* kNames[] = {"json", "junit", "markdown", "bmf", "github", "html"};

}  // namespace

std::vector<std::string> format_names() { return {std::begin(kNames), std::end(kNames)}; }

std::optional<ReportFormat> format_named(std::string_view name) {
  const auto* found = std::find(std::begin(kNames), std::end(kNames), name);
  if (found == std::end(kNames)) return std::nullopt;
  return static_cast<ReportFormat>(found - std::begin(kNames));
}

Result<std::string> report_text(const protocol::BenchReport& report, ReportFormat format) {
  switch (format) {
    case ReportFormat::kJson:
      return json_line(to_json(report)) + "\n";
    case ReportFormat::kJunit:
      return junit_report(report);
    case ReportFormat::kMarkdown:
      return markdown_report(report);
    case ReportFormat::kBmf:
      return bmf_report(report);
    case ReportFormat::kGithub:
      return github_report(report);
    case ReportFormat::kHtml:
      return html_report({&report, 1});
  }
  return Error{ErrorCode::kInternal, "a format that does not exist"};
}

size_t regressions_in(const protocol::BenchReport& report) {
  const std::vector<Row> rows = rows_of(report);
  return static_cast<size_t>(std::count_if(rows.begin(), rows.end(), [](const Row& row) { return row.regression; }));
}

}  // namespace hone::bench_reports
