// One function for each format of reports.h, for reports.cc alone.
#pragma once
#include <span>
#include <string>

#include "schema/generated/bench_report.h"

namespace hone::bench_reports {

std::string junit_report(const protocol::BenchReport& report);
std::string markdown_report(const protocol::BenchReport& report);
std::string bmf_report(const protocol::BenchReport& report);
std::string github_report(const protocol::BenchReport& report);

// The page's data, for browser-report/src/data.ts, which says what is what. Neither has a "<" that HTML could take for the end of its element.
struct PageData {
  std::string json;     // what the page shows at once
  std::string samples;  // a line for each row: what it shows of a row that somebody opens
};
PageData page_data(std::span<const protocol::BenchReport> reports);

}  // namespace hone::bench_reports
