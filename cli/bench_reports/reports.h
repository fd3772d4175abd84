// The report of a benchmark (docs/bench_report.md) in the forms that others read. What stands in a report, its names above all, may be anybody's words:
// each format shows them and obeys none.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "schema/generated/bench_report.h"

namespace hone::bench_reports {

enum class ReportFormat : uint8_t {
  kJson,      // the report itself, on one line
  kJunit,     // JUnit XML: a suite per device, a case per case; what is a regression has failed (junit.xsd)
  kMarkdown,  // a comment for a pull request, at most kMarkdownCharactersMax
  kBmf,       // Bencher Metric Format: each median in ns, between what nine of ten samples lie above and below
  kGithub,    // workflow commands, which GitHub shows as annotations
  kHtml,      // one page that needs nothing else (browser-report)
};
// "json", "junit", "markdown", "bmf", "github", "html": in the order of the enumeration.
std::vector<std::string> format_names();
std::optional<ReportFormat> format_named(std::string_view name);

inline constexpr size_t kMarkdownCharactersMax = 60'000;  // GitHub takes comments of 65,536
inline constexpr size_t kAnnotationsMax = 10;             // of each kind: as many as GitHub shows of a step
inline constexpr size_t kSamplesShownMax = 200;  // of one side of a comparison, on the page: evenly spaced by rank
inline constexpr uint64_t kMomentMax_unix_ms = 253'402'300'799'999;  // [ms] the end of the year 9999

// Text of at most kBenchReportBytesMax bytes as a report: its form is that of the schema, its numbers are finite, its times positive and below a year, intervals have their
// low end below, names are unique, and what is called measured has times. Fails: parse_error for what is no JSON; version_mismatch for the format of a
// later hone; invalid_argument with the place and what is wrong; limit_exceeded.
Result<protocol::BenchReport> read_bench_report(std::string_view bytes);

// Ends with a line feed where the text is not empty. Fails for html alone: not_found where the page is not installed, io_error.
Result<std::string> report_text(const protocol::BenchReport& report, ReportFormat format);

// The page of the report that began last, with a history of all of them. At least one. Fails: not_found where the page is not installed, io_error.
Result<std::string> html_report(std::span<const protocol::BenchReport> reports);

// How many of the results are slower by more than fail_above, surely.
size_t regressions_in(const protocol::BenchReport& report);

// HONE_REPORT_DIR if set, else the first of <dir of the binary>/{report, ../share/hone/report, ../../browser-report/dist} that holds a report.html;
// "" if none does.
std::string find_report_page();

}  // namespace hone::bench_reports
