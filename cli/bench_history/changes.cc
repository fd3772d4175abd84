#include "cli/bench_history/changes.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "base/cat.h"
#include "base/printable_text.h"

namespace hone::bench_history {
namespace {

using ClassOfCase = std::tuple<std::string, std::string, std::string>;  // case, target, device key

ClassOfCase class_of_case(const Reading& reading) { return {reading.case_name, reading.target, reading.device_key}; }

auto moment_of(const Reading& reading) { return std::tie(reading.night_unix_ms, reading.started_unix_ms, reading.file); }

// The classes of which one report has several results.
std::set<ClassOfCase> crowded(const std::vector<Reading>& readings) {
  std::set<std::pair<std::string, ClassOfCase>> seen;
  std::set<ClassOfCase> out;
  for (const Reading& reading : readings)
    if (!seen.insert({reading.file, class_of_case(reading)}).second) out.insert(class_of_case(reading));
  return out;
}

// A copy of a report has the measurements of the first; two of them never begin in the same millisecond and take the same time on one device.
void leave_copies_out(std::vector<Reading>& readings) {
  using Measurement = std::tuple<ClassOfCase, std::string, uint64_t, double>;
  std::set<Measurement> seen;
  std::erase_if(readings, [&](const Reading& reading) { return !seen.insert({class_of_case(reading), reading.device_id, reading.started_unix_ms, reading.median_ms}).second; });
}

std::string told(const std::string& version) { return version.empty() ? "unknown" : version; }

std::string step(const std::string& before, const std::string& after) { return cat(told(before), " → ", told(after)); }

// What a reading was measured with is not that of the one before it. A version that is not told may be any.
bool is_update(const Reading& before, const Reading& after) { return before.browser != after.browser || before.driver != after.driver; }

Cause cause_between(const Reading& before, const Reading& after) {
  if (before.driver == after.driver) return before.browser == after.browser ? Cause::kBuild : Cause::kBrowser;
  return before.browser == after.browser ? Cause::kDriver : Cause::kBrowserAndDriver;
}

std::string what_changed(const Reading& before, const Reading& after) {
  switch (cause_between(before, after)) {
    case Cause::kBuild: return step(before.build, after.build);
    case Cause::kBrowser: return step(before.browser, after.browser);
    case Cause::kDriver: return step(before.driver, after.driver);
    case Cause::kBrowserAndDriver: break;
  }
  return cat(step(before.browser, after.browser), ", ", step(before.driver, after.driver));
}

stats::Series times_of(const CaseSeries& one) {
  constexpr double kUsPerMs = 1000;
  stats::Series series;
  for (size_t i = 0; i < one.readings.size(); ++i) {
    series.times_us.push_back(one.readings[i].median_ms * kUsPerMs);
    if (i > 0 && is_update(one.readings[i - 1], one.readings[i])) series.known.push_back({i, what_changed(one.readings[i - 1], one.readings[i])});
  }
  return series;
}

Status add_changes(const std::vector<CaseSeries>& all, size_t series, const stats::ChangeRule& rule, std::vector<Change>& changes) {
  const CaseSeries& one = all[series];
  const auto points = stats::change_points(times_of(one), rule);
  if (!points.ok()) return Error{points.error().code, cat("the times of ", shortened(one.case_name), " on ", shortened(one.device_text), ": ", points.error().message)};
  for (size_t i = 0; i < points->size(); ++i) {
    const stats::ChangePoint& point = (*points)[i];
    const Reading &before = one.readings[point.at - 1], &after = one.readings[point.at];
    changes.push_back({.series = series,
                       .from = i == 0 ? 0 : (*points)[i - 1].at,
                       .to = i + 1 == points->size() ? one.readings.size() : (*points)[i + 1].at,
                       .point = point,
                       .cause = cause_between(before, after),
                       .what = what_changed(before, after)});
  }
  return ok_status();
}

}  // namespace

const char* cause_name(Cause cause) {
  switch (cause) {
    case Cause::kBuild: return "build";
    case Cause::kBrowser: return "browser update";
    case Cause::kDriver: return "driver update";
    case Cause::kBrowserAndDriver: break;
  }
  return "browser and driver update";
}

std::vector<CaseSeries> series_of(std::vector<Reading> readings) {
  std::stable_sort(readings.begin(), readings.end(), [](const Reading& a, const Reading& b) { return moment_of(a) < moment_of(b); });
  leave_copies_out(readings);
  const std::set<ClassOfCase> apart = crowded(readings);
  std::map<std::pair<ClassOfCase, std::string>, CaseSeries> all;
  for (Reading& reading : readings) {
    const ClassOfCase key = class_of_case(reading);
    const std::string device = apart.count(key) ? reading.device_id : "";
    CaseSeries& series = all[{key, device}];
    series.case_name = reading.case_name, series.target = reading.target, series.device_key = reading.device_key;
    series.device_id = device, series.device_text = reading.device_text;  // of the last: it tells the newest browser
    series.readings.push_back(std::move(reading));
  }
  std::vector<CaseSeries> out;
  for (auto& [key, series] : all) out.push_back(std::move(series));
  return out;
}

Result<std::vector<Change>> changes_of(const std::vector<CaseSeries>& all, const stats::ChangeRule& rule) {
  std::vector<Change> changes;
  for (size_t i = 0; i < all.size(); ++i) HONE_TRY(add_changes(all, i, rule, changes));
  const auto when = [&](const Change& change) { return all[change.series].readings[change.point.at].night_unix_ms; };
  std::stable_sort(changes.begin(), changes.end(), [&](const Change& a, const Change& b) { return when(a) < when(b); });
  return changes;
}

}  // namespace hone::bench_history
