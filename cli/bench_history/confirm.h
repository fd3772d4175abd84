// A suspicion is confirmed by the two builds around it, in turns on a device of the class: only then is anybody told.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "cli/bench_history/changes.h"
#include "schema/generated/bench_report.h"

namespace hone::bench_history {

// A night that keeps its builds is a folder with report.json and, as hone bench --keep FOLDER/builds leaves them, builds/CASE.
inline constexpr const char* kBuildsFolder = "builds";

struct BuildPair {
  std::string old_builds, new_builds;  // folders of packages
  std::string case_name, target, device_key;
};

// The case of both in turns, on a device of the class. Fails: cancelled; any other error says why there is no answer.
using ComparePair = std::function<Result<protocol::BenchResult>(const BuildPair&)>;

enum class Confirmed {
  kYes,      // the comparison has the series' verdict
  kNo,       // it has another one
  kUnknown,  // nothing could be compared: no builds are kept, no such device is there, or it failed
};

struct Confirmation {
  Confirmed confirmed = Confirmed::kUnknown;
  std::string message;  // why it is not known
  std::optional<protocol::BenchComparison> comparison;
};

// The last night before the change and the first one after it that have kept the case, as far as the series compared them. change: a suspicion. Fails: cancelled.
Result<Confirmation> confirm(const CaseSeries& series, const Change& change, const ComparePair& compare);

// Confirmed, slower, and by more than was permitted where anything was.
bool is_regression(const Confirmation& confirmation);

}  // namespace hone::bench_history
