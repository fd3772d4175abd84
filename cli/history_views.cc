#include "cli/history_views.h"

#include <algorithm>
#include <ctime>
#include <map>
#include <tuple>

#include "base/cat.h"
#include "base/number_text.h"
#include "cli/bench_reports/rows.h"
#include "cli/console.h"

namespace hone::cli {

namespace {

using bench_history::CaseSeries;
using bench_history::Change;
using bench_history::Confirmation;
using bench_history::Confirmed;
using OrderedJson = nlohmann::ordered_json;

constexpr double kUsPerMs = 1000;

// In UTC, so that a history is the same for everybody.
std::string utc_text(uint64_t unix_ms) {
  const auto seconds = static_cast<std::time_t>(unix_ms / 1000);
  std::tm broken{};
  char text[32];
  if (!gmtime_r(&seconds, &broken) || std::strftime(text, sizeof text, "%F %R", &broken) == 0) return "-";
  return text;
}

const bench_history::Reading& reading_after(const History& history, const Change& change) { return history.series[change.series].readings[change.point.at]; }

bool has_times(const Change& change) { return change.point.finding != stats::Finding::kTooFewPoints; }

std::string change_cell(const Change& change) {
  switch (change.point.finding) {
    case stats::Finding::kChanged: return bench_reports::change_text(1 + change.point.change);
    case stats::Finding::kUnchanged: return "none found";
    case stats::Finding::kTooFewPoints: break;
  }
  return "too few nights";
}

std::string compared_text(const protocol::BenchComparison& comparison) {
  return cat(protocol::to_name(comparison.verdict), ", ", bench_reports::change_text(comparison.ratio), " (", bench_reports::interval_text(comparison.ratio_low, comparison.ratio_high), ")");
}

std::string confirmation_cell(const std::optional<Confirmation>& confirmation) {
  if (!confirmation) return "-";
  switch (confirmation->confirmed) {
    case Confirmed::kYes: return cat("confirmed: ", compared_text(*confirmation->comparison));
    case Confirmed::kNo: return cat("not confirmed: ", compared_text(*confirmation->comparison));
    case Confirmed::kUnknown: break;
  }
  return cat("not known: ", confirmation->message);
}

bool has_confirmations(const History& history) {
  return std::any_of(history.confirmations.begin(), history.confirmations.end(), [](const auto& one) { return one.has_value(); });
}

// An update that did nothing to many cases of a device is one row.
struct Shown {
  size_t change = 0;
  int64_t cases = 1;
};

std::vector<Shown> shown_of(const History& history) {
  std::vector<Shown> shown;
  std::map<std::tuple<std::string, std::string, uint64_t, std::string, stats::Finding>, size_t> rows;
  for (size_t i = 0; i < history.changes.size(); ++i) {
    const Change& change = history.changes[i];
    const CaseSeries& series = history.series[change.series];
    const bool folds = !bench_history::is_suspicion(change) && change.point.finding != stats::Finding::kChanged;
    const auto [row, is_first] = rows.insert({{series.device_key, series.device_id, reading_after(history, change).night_unix_ms, change.what, change.point.finding}, shown.size()});
    if (folds && !is_first) ++shown[row->second].cases;
    else shown.push_back({.change = i});
  }
  return shown;
}

std::vector<std::string> row_of_change(const History& history, const Shown& shown) {
  const Change& change = history.changes[shown.change];
  const CaseSeries& series = history.series[change.series];
  const auto ms = [&](double us) { return has_times(change) && shown.cases == 1 ? time_text(us / kUsPerMs) : "-"; };
  return {shown.cases == 1 ? series.case_name : counted(shown.cases, "case"), series.device_text, utc_text(reading_after(history, change).night_unix_ms), ms(change.point.before_us),
          ms(change.point.after_us), change_cell(change), cat(bench_history::cause_name(change.cause), ": ", change.what)};
}

Table table_of_changes(const History& history) {
  Table table{.numeric = {false, false, false, true, true, true, false, false}};
  table.rows.push_back({"case", "device", "from (UTC)", "before", "after", "change", "cause"});
  const bool confirms = has_confirmations(history);
  if (confirms) table.rows.back().push_back("in turns");
  for (const Shown& shown : shown_of(history)) {
    table.rows.push_back(row_of_change(history, shown));
    if (confirms) table.rows.back().push_back(confirmation_cell(history.confirmations[shown.change]));
  }
  return table;
}

std::string counts_line(const History& history) {
  const auto suspicions = std::count_if(history.changes.begin(), history.changes.end(), bench_history::is_suspicion);
  const auto updates = static_cast<int64_t>(history.changes.size()) - suspicions;
  return cat(counted(static_cast<int64_t>(history.reports), "report"), ", ", counted(static_cast<int64_t>(history.series.size()), "series", "series"), "; ", counted(suspicions, "suspicion"),
             ", ", counted(updates, "update"), "\n");
}

std::string short_series_line(const History& history) {
  const size_t least = 2 * stats::ChangeRule().points_min;
  const auto shorter = std::count_if(history.series.begin(), history.series.end(), [&](const CaseSeries& one) { return one.readings.size() < least; });
  return shorter == 0 ? "" : cat(counted(shorter, "series", "series"), shorter == 1 ? " has" : " have", " less than ", least, " nights, in which no change by a build can be found\n");
}

std::string advice_line(const History& history) {
  const bool suspects = std::any_of(history.changes.begin(), history.changes.end(), bench_history::is_suspicion);
  return suspects && !has_confirmations(history) ? "A suspicion is no verdict: --confirm compares the two builds in turns.\n" : "";
}

OrderedJson series_json(const CaseSeries& series) {
  return {{"case", series.case_name}, {"target", series.target}, {"device_key", series.device_key}, {"device_id", series.device_id}, {"device", series.device_text},
          {"nights", series.readings.size()}, {"first_unix_ms", series.readings.front().night_unix_ms}, {"last_unix_ms", series.readings.back().night_unix_ms}};
}

OrderedJson optional_json(const std::optional<double>& value) { return value ? OrderedJson(*value) : OrderedJson(nullptr); }

OrderedJson confirmation_json(const Confirmation& confirmation) {
  constexpr const char* kNames[] = {"yes", "no", "unknown"};
  OrderedJson json{{"confirmed", kNames[static_cast<size_t>(confirmation.confirmed)]}, {"regression", bench_history::is_regression(confirmation)}, {"message", confirmation.message}};
  if (!confirmation.comparison) return json;
  const protocol::BenchComparison& comparison = *confirmation.comparison;
  json["comparison"] = {{"verdict", protocol::to_name(comparison.verdict)}, {"ratio", comparison.ratio}, {"ratio_low", optional_json(comparison.ratio_low)},
                        {"ratio_high", optional_json(comparison.ratio_high)}, {"pairs", comparison.pairs}};
  return json;
}

OrderedJson change_json(const History& history, size_t i) {
  constexpr const char* kCauses[] = {"build", "browser", "driver", "browser_and_driver"};
  constexpr const char* kFindings[] = {"changed", "unchanged", "too_few_nights"};
  const Change& change = history.changes[i];
  const auto& after = reading_after(history, change);
  OrderedJson json{{"series", change.series}, {"unix_ms", after.night_unix_ms}, {"cause", kCauses[static_cast<size_t>(change.cause)]}, {"what", change.what},
                   {"before", history.series[change.series].readings[change.point.at - 1].file}, {"after", after.file}, {"finding", kFindings[static_cast<size_t>(change.point.finding)]}};
  if (has_times(change)) {
    json["before_ms"] = change.point.before_us / kUsPerMs, json["after_ms"] = change.point.after_us / kUsPerMs;
    json["change"] = change.point.change, json["p_value"] = change.point.p_value;
  }
  if (history.confirmations[i]) json["confirmation"] = confirmation_json(*history.confirmations[i]);
  return json;
}

}  // namespace

std::string history_text(const History& history) {
  const std::string changes = history.changes.empty() ? "no change was found\n" : table_text(table_of_changes(history));
  return cat(changes, counts_line(history), short_series_line(history), advice_line(history));
}

nlohmann::ordered_json history_json(const History& history) {
  OrderedJson json{{"reports", history.reports}, {"skipped", history.skipped}, {"series", OrderedJson::array()}, {"changes", OrderedJson::array()}};
  for (const CaseSeries& series : history.series) json["series"].push_back(series_json(series));
  for (size_t i = 0; i < history.changes.size(); ++i) json["changes"].push_back(change_json(history, i));
  return json;
}

size_t regressions_in(const History& history) {
  return static_cast<size_t>(std::count_if(history.confirmations.begin(), history.confirmations.end(), [](const auto& one) { return one && bench_history::is_regression(*one); }));
}

}  // namespace hone::cli
