// What every format asks of a report: its results one by one, how each stands, and numbers as words.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/generated/bench_report.h"

namespace hone::bench_reports {

// In the order in which a reader wants to know of them.
enum class Standing : uint8_t {
  kSlower,
  kFailed,  // tried, and it has no times
  kFaster,
  kInconclusive,
  kSame,
  kMeasured,  // it has times, and nothing was compared
  kSkipped,
};
inline constexpr size_t kStandings = 7;
const char* standing_name(Standing standing);  // "slower", …

// Points into the report, which must live longer.
struct Row {
  const protocol::BenchCase* of = nullptr;
  const protocol::BenchResult* result = nullptr;
  Standing standing{};
  bool regression = false;  // slower by more than fail_above, surely
};
std::vector<Row> rows_of(const protocol::BenchReport& report);  // in the order of the report

// "1 regression; 2 slower, 1 faster, 5 the same"; a comparison names slower and faster also where there are none. "nothing was measured" of none.
std::string headline(const protocol::BenchReport& report, const std::vector<Row>& rows);

std::string device_name(const protocol::BenchDevice& device);  // its label, else what it is
std::string device_name(const protocol::BenchResult& result);  // "no device" where there was none
std::string build_text(const protocol::BenchBuild& build);     // its name, and its commit where there is one
std::string change_text(double ratio);                         // "+5.2 %", "-12.0 %"
std::string interval_text(const std::optional<double>& low, const std::optional<double>& high);  // "+3.1 % to +7.4 %"
std::string level_text(double alpha);                                                            // "99 %"

// One sentence on a result: times, change, interval, verdict, and what is not known.
std::string sentence(const protocol::BenchReport& report, const Row& row);

}  // namespace hone::bench_reports
