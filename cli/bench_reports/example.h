// Reports as the tests want them.
#pragma once
#include <fstream>
#include <sstream>
#include <string>

#include "base/cat.h"
#include "cli/bench_reports/reports.h"

namespace hone::bench_reports {

inline std::string text_of(const std::string& name) {
  std::ifstream file(std::string(HONE_REPORTS_DIR "/") + name, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// golden/report.json: each verdict once, a case that failed and one that was skipped, and names that mean harm.
inline protocol::BenchReport example_report() { return *read_bench_report(text_of("golden/report.json")); }

inline protocol::BenchReport empty_report() {
  return {.format = std::string(protocol::kBenchReportFormat),
          .version = 1,
          .suite = "none",
          .new_build = {.name = "new"},
          .alpha = 0.01};
}

// Every case on every device; a tenth is slower, by a regression.
inline protocol::BenchReport large_report(size_t cases, size_t devices, size_t samples = 0) {
  protocol::BenchReport report = empty_report();
  report.old_build = protocol::BenchBuild{.name = "old"};
  report.fail_above = 0.03;
  for (size_t i = 0; i < cases; ++i) {
    protocol::BenchCase one{.name = cat("case_", i), .source = "m.onnx", .target = "webgpu"};
    for (size_t d = 0; d < devices; ++d) {
      const bool slower = (i + d) % 10 == 0;
      const protocol::BenchTimes times{
          .median_ms = 1, .p10_ms = 0.9, .p90_ms = 1.1, .samples_ms = std::vector<double>(samples, 1.25)};
      one.results.push_back({.state = protocol::BenchState::kMeasured,
                             .device = protocol::BenchDevice{.device_id = cat("device-", d),
                                                             .device_key = "key",
                                                             .text = cat("chromium 140, webgpu, gpu ", d)},
                             .new_times = times,
                             .old_times = times,
                             .comparison = protocol::BenchComparison{
                                 .verdict = slower ? protocol::Verdict::kSlower : protocol::Verdict::kSame,
                                 .ratio = slower ? 1.05 : 1,
                                 .ratio_low = slower ? 1.04 : 0.99,
                                 .ratio_high = slower ? 1.06 : 1.01,
                                 .pairs = 60,
                                 .regression = slower ? protocol::Answer::kYes : protocol::Answer::kNo}});
    }
    report.cases.push_back(std::move(one));
  }
  return report;
}

}  // namespace hone::bench_reports
