// Reads a history: the reports that hone bench --report json=FILE left, run after run. A file may be anybody's: one that is no report is named and left out.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "schema/generated/bench_report.h"

namespace hone::bench_history {

inline constexpr size_t kReportsMax = 10'000;  // as many as a series has points (stats/limits.h)

// What one report has of a case on one device.
struct Reading {
  std::string case_name, target;
  std::string device_key, device_id, device_text;
  uint64_t night_unix_ms = 0;    // when the report began
  uint64_t started_unix_ms = 0;  // when this measurement did
  std::string file;              // the report
  std::string build;             // the new build's name, with its commit
  std::string browser, driver;   // with their versions; empty: it did not say
  double median_ms = 0;          // of the new build
};

struct Nights {
  std::vector<Reading> readings;
  size_t reports = 0;
  std::vector<std::string> skipped;  // "FILE: why", one sentence each
};

// A place is a report, or a folder: then its *.json files and the report.json of each folder in it. A file that two places name is read once. Fails: not_found for a place
// that is not there; limit_exceeded beyond kReportsMax; io_error for a folder that cannot be read.
Result<Nights> read_nights(const std::vector<std::string>& places);

// Those that were measured, in the report's order.
std::vector<Reading> readings_of(const protocol::BenchReport& report, const std::string& file);

}  // namespace hone::bench_history
