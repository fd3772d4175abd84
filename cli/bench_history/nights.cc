#include "cli/bench_history/nights.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "base/cat.h"
#include "base/printable_text.h"
#include "cli/bench_reports/reports.h"
#include "cli/bench_reports/rows.h"

namespace hone::bench_history {
namespace {

namespace fs = std::filesystem;

// A pipe or a device would never end.
bool is_report_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

Result<std::vector<std::string>> files_in(const fs::path& folder) {
  std::error_code error;
  std::vector<std::string> files;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const fs::path path = entry->path();
    if (path.extension() == ".json" && is_report_file(path)) files.push_back(path.string());
    else if (is_report_file(path / "report.json")) files.push_back((path / "report.json").string());
  }
  if (error) return Error{ErrorCode::kIoError, cat(folder.string(), " cannot be read: ", error.message(), "; give a folder of reports")};
  std::sort(files.begin(), files.end());
  return files;
}

Result<std::vector<std::string>> files_of(const std::string& place) {
  std::error_code error;
  if (fs::is_directory(place, error)) return files_in(place);
  if (fs::exists(place, error)) return std::vector{place};
  return Error{ErrorCode::kNotFound, cat(place, " is not there; give reports that hone bench --report json=FILE wrote, or a folder of them")};
}

Result<std::vector<std::string>> all_files(const std::vector<std::string>& places) {
  std::vector<std::string> files;
  std::set<std::string> seen;
  for (const std::string& place : places) {
    HONE_ASSIGN(found, files_of(place));
    std::error_code error;
    for (std::string& file : found)
      if (seen.insert(fs::weakly_canonical(file, error).string()).second) files.push_back(std::move(file));
  }
  if (files.size() > kReportsMax) return Error{ErrorCode::kLimitExceeded, cat("found ", files.size(), " reports, at most ", kReportsMax, " are one history; give the later ones")};
  return files;
}

Result<protocol::BenchReport> read_report_file(const std::string& file) {
  if (!is_report_file(file)) return Error{ErrorCode::kInvalidArgument, "it is no file"};
  std::error_code error;
  const auto bytes = fs::file_size(file, error);
  if (!error && bytes > protocol::kBenchReportBytesMax) return Error{ErrorCode::kLimitExceeded, cat("found ", bytes, " bytes, expected at most ", protocol::kBenchReportBytesMax)};
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) return Error{ErrorCode::kIoError, "it cannot be read"};
  return bench_reports::read_bench_report(text);
}

std::string driver_of(const protocol::BenchDevice& device) {
  const auto& said = device.fingerprint;
  const auto driver = said.is_object() ? said.find("driver") : said.end();
  return driver != said.end() && driver->is_string() ? driver->get<std::string>() : "";
}

Reading reading_of(const protocol::BenchCase& one, const protocol::BenchResult& result) {
  const protocol::BenchDevice& device = *result.device;
  return {.case_name = one.name, .target = one.target, .device_key = device.device_key, .device_id = device.device_id, .device_text = bench_reports::device_name(device),
          .started_unix_ms = result.started_unix_ms, .browser = device.browser, .driver = driver_of(device), .median_ms = result.new_times->median_ms};
}

}  // namespace

std::vector<Reading> readings_of(const protocol::BenchReport& report, const std::string& file) {
  std::vector<Reading> readings;
  for (const protocol::BenchCase& one : report.cases)
    for (const protocol::BenchResult& result : one.results) {
      if (!result.device || !result.new_times) continue;
      Reading reading = reading_of(one, result);
      reading.night_unix_ms = report.started_unix_ms, reading.file = file, reading.build = bench_reports::build_text(report.new_build);
      readings.push_back(std::move(reading));
    }
  return readings;
}

Result<Nights> read_nights(const std::vector<std::string>& places) {
  HONE_ASSIGN(files, all_files(places));
  Nights nights;
  for (const std::string& file : files) {
    const auto report = read_report_file(file);
    if (!report.ok()) {
      nights.skipped.push_back(cat(file, ": ", shortened(report.error().message)));
      continue;
    }
    ++nights.reports;
    std::vector<Reading> readings = readings_of(*report, file);
    std::move(readings.begin(), readings.end(), std::back_inserter(nights.readings));
  }
  return nights;
}

}  // namespace hone::bench_history
