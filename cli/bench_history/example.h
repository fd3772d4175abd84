// Histories as the tests want them.
#pragma once
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

#include "base/cat.h"
#include "cli/bench_history/changes.h"
#include "cli/bench_reports/reports.h"

namespace hone::bench_history {

inline constexpr uint64_t kFirstNight_unix_ms = 1'796'000'000'000;  // 2026-11-30 00:53:20 UTC
inline constexpr uint64_t kDay_ms = 86'400'000;
inline const std::string kDesk(32, 'a'), kPhone(32, 'b');  // keys of classes

// The night's time of one case on one device, a hundredth to either side as the nights come.
inline Reading night(size_t i, double median_ms, const std::string& key = kDesk) {
  const double scatter = 1 + 0.005 * static_cast<double>(i * 7 % 5) - 0.01;
  return {.case_name = "mnist", .target = "webgpu", .device_key = key, .device_id = key.substr(0, 4), .device_text = key == kDesk ? "desk" : "phone",
          .night_unix_ms = kFirstNight_unix_ms + i * kDay_ms, .started_unix_ms = kFirstNight_unix_ms + i * kDay_ms + 1000, .file = cat("nights/", i, ".json"),
          .build = cat("build ", i), .browser = "chromium 140", .driver = "31.0", .median_ms = median_ms * scatter};
}

// before nights at 2 ms, then after of them at 2.2 ms.
inline std::vector<Reading> slower_from(size_t before, size_t after, const std::string& key = kDesk) {
  std::vector<Reading> out;
  for (size_t i = 0; i < before + after; ++i) out.push_back(night(i, i < before ? 2 : 2.2, key));
  return out;
}

// A report with these results of one case each.
inline protocol::BenchReport report_of(const std::vector<Reading>& readings) {
  protocol::BenchReport report{.format = std::string(protocol::kBenchReportFormat), .version = 1, .suite = "nightly", .started_unix_ms = readings.front().night_unix_ms,
                               .new_build = {.name = readings.front().build}, .alpha = 0.01};
  protocol::BenchCase one{.name = readings.front().case_name, .source = "m.onnx", .target = readings.front().target};
  for (const Reading& reading : readings) {
    protocol::BenchDevice device{.device_id = reading.device_id, .device_key = reading.device_key, .text = reading.device_text, .target = reading.target, .browser = reading.browser};
    device.fingerprint = {{"driver", reading.driver}};
    one.results.push_back({.state = protocol::BenchState::kMeasured, .device = device, .started_unix_ms = reading.started_unix_ms,
                           .new_times = protocol::BenchTimes{.median_ms = reading.median_ms, .p10_ms = reading.median_ms, .p90_ms = reading.median_ms, .samples_ms = {reading.median_ms}}});
  }
  report.cases.push_back(std::move(one));
  return report;
}

// A folder of this process's own, empty at first, gone with the object.
struct ScratchFolder {
  explicit ScratchFolder(const std::string& name) : path(std::filesystem::temp_directory_path() / cat("hone_", name, "_", ::getpid(), "_", ++made)) {
    std::filesystem::remove_all(path);
    std::filesystem::create_directories(path);
  }
  ~ScratchFolder() { std::filesystem::remove_all(path); }
  std::string write(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = path / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file.string();
  }
  std::string write(const std::string& name, const protocol::BenchReport& report) const { return write(name, *bench_reports::report_text(report, bench_reports::ReportFormat::kJson)); }
  std::filesystem::path path;
  static inline int made = 0;  // several may live at once
};

}  // namespace hone::bench_history
