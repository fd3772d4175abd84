// A benchmark's report as a file, in one of its formats.
#pragma once
#include <string>

#include "cli/bench_reports/reports.h"

namespace hone::cli {

struct ReportFile {
  bench_reports::ReportFormat format{};
  std::string path;
};
// "junit=FILE". Fails: invalid_argument with what was expected.
Result<ReportFile> parse_report_file(const std::string& text);

// Fails: io_error, disk_full.
Status write_report_text(const std::string& path, const std::string& text);
// Fails, besides, as report_text.
Status write_report(const ReportFile& file, const protocol::BenchReport& report);

}  // namespace hone::cli
