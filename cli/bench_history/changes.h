// Where the times of a history changed, and by what: a build, a browser's update or a driver's. A time that changed with an update is never the build's.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/bench_history/nights.h"
#include "stats/change_points.h"

namespace hone::bench_history {

// One case on one class of devices, or on one device of it, in the order of time.
struct CaseSeries {
  std::string case_name, target, device_key;
  std::string device_id;  // empty: any device of the class
  std::string device_text;
  std::vector<Reading> readings;  // one at least
};

// A class of equal devices is one series of a case; where a report has several of them, each device is one of its own. By case, class and device. A measurement that
// stands in two reports counts once.
std::vector<CaseSeries> series_of(std::vector<Reading> readings);

enum class Cause { kBuild, kBrowser, kDriver, kBrowserAndDriver };
const char* cause_name(Cause cause);  // "build", "browser update", "driver update", "browser and driver update"

struct Change {
  size_t series = 0;
  size_t from = 0, to = 0;  // what was compared: the readings [from, point.at) with [point.at, to)
  stats::ChangePoint point;
  Cause cause{};
  std::string what;  // "chromium 140 → chromium 141", "build/a → build/b"
};
inline bool is_suspicion(const Change& change) { return change.cause == Cause::kBuild; }

// All updates, and what else changed besides, by the time of the first reading after it. Fails: as stats::change_points, with the case.
Result<std::vector<Change>> changes_of(const std::vector<CaseSeries>& all, const stats::ChangeRule& rule = {});

}  // namespace hone::bench_history
