// Border: a benchmark's report that anybody may have written. What is read of it is written in each format, within its bounds, and as JSON it is read again.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cli/bench_reports/formats.h"
#include "cli/bench_reports/reports.h"
#include "tests/fuzz/input.h"

namespace hone {
namespace {

using bench_reports::ReportFormat;

void run(std::string_view text) {
  const auto report = bench_reports::read_bench_report(text);
  if (!report.ok()) return;
  for (const ReportFormat format :
       {ReportFormat::kJunit, ReportFormat::kMarkdown, ReportFormat::kBmf, ReportFormat::kGithub})
    CHECK(bench_reports::report_text(*report, format).ok(), "a report that was read cannot be written");
  CHECK(bench_reports::report_text(*report, ReportFormat::kMarkdown)->size() <= bench_reports::kMarkdownCharactersMax,
        "a comment is too long");
  const auto data = bench_reports::page_data({&*report, 1});
  CHECK(data.json.find('<') == std::string::npos && data.samples.find('<') == std::string::npos,
        "a page's data may end their element");
  CHECK(bench_reports::read_bench_report(*bench_reports::report_text(*report, ReportFormat::kJson)).ok(),
        "a report is not read again");
}

}  // namespace
}  // namespace hone

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  hone::run(hone::fuzz::text_of(data, size));
  return 0;
}
