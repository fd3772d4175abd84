#include "cli/bench_text.h"

#include <map>

#include "base/cat.h"
#include "base/number_text.h"
#include "cli/console.h"

namespace hone::cli {

namespace {

std::string percent(double ratio) { return cat(ratio >= 1 ? "+" : "", number_text(100 * (ratio - 1)), " %"); }

std::string interval_text(const protocol::BenchComparison& comparison) {
  if (!comparison.ratio_low || !comparison.ratio_high) return "-";
  return cat(percent(*comparison.ratio_low), " to ", percent(*comparison.ratio_high));
}

std::string verdict_text(const protocol::BenchComparison& comparison) {
  const std::string verdict(protocol::to_name(comparison.verdict));
  return comparison.regression == protocol::Answer::kYes ? cat(verdict, ": too much") : verdict;
}

std::string ms_text(const std::optional<protocol::BenchTimes>& times) { return times ? time_text(times->median_ms) : "-"; }

std::string device_text(const protocol::BenchResult& result) { return result.device ? result.device->text : "-"; }

void add_row(Table& table, const protocol::BenchCase& one, const protocol::BenchResult& result, bool compares) {
  std::vector<std::string> row{one.name, device_text(result)};
  if (result.state != protocol::BenchState::kMeasured) row.push_back(std::string(protocol::to_name(result.state)));
  else row.push_back(ms_text(result.new_times));
  if (compares) {
    row.push_back(ms_text(result.old_times));
    if (!result.comparison) row.insert(row.end(), {"-", "-", "-", "-"});
    else row.insert(row.end(), {percent(result.comparison->ratio), interval_text(*result.comparison), cat(result.comparison->pairs), verdict_text(*result.comparison)});
  }
  table.rows.push_back(std::move(row));
}

Table table_of(const protocol::BenchReport& report) {
  const bool compares = report.old_build.has_value();
  Table table{.numeric = {false, false, true}};
  table.rows.push_back({"case", "device", "time"});
  if (compares) {
    table.rows.back() = {"case", "device", "new", "old", "change", "99 %", "pairs", "verdict"};
    table.numeric = {false, false, true, true, true, true, true, false};
  }
  for (const protocol::BenchCase& one : report.cases)
    for (const protocol::BenchResult& result : one.results) add_row(table, one, result, compares);
  return table;
}

std::string classes_text(const protocol::BenchCase& one) {
  std::string out;
  for (const protocol::BenchClass& effect : one.classes)
    if (effect.differs) out += cat(one.name, ": ", percent(effect.ratio), " on ", effect.device_class, ", unlike elsewhere\n");
  return out;
}

std::string reasons_text(const protocol::BenchCase& one) {
  std::string out;
  for (const protocol::BenchResult& result : one.results)
    if (result.state != protocol::BenchState::kMeasured) out += cat(one.name, " was ", protocol::to_name(result.state) == "failed" ? "not measured" : "skipped", ": ", result.message, "\n");
  return out;
}

std::string counts_text(const protocol::BenchReport& report) {
  std::map<std::string, int> counts;
  for (const protocol::BenchCase& one : report.cases)
    for (const protocol::BenchResult& result : one.results)
      ++counts[std::string(result.comparison ? protocol::to_name(result.comparison->verdict) : protocol::to_name(result.state))];
  std::string out;
  for (const char* what : {"slower", "faster", "same", "inconclusive", "measured", "skipped", "failed"})
    if (counts.count(what)) out += cat(out.empty() ? "" : ", ", counts[what], " ", what);
  return cat(out, "; ", time_text(report.took_ms), "\n");
}

}  // namespace

std::string bench_text(const protocol::BenchReport& report) {
  std::string out = table_text(table_of(report));
  if (report.old_build) out += cat("old: ", report.old_build->name, report.old_build->made_by.empty() ? "" : cat(" (hone ", report.old_build->made_by, ")"), "\n");
  for (const protocol::BenchCase& one : report.cases) out += classes_text(one) + reasons_text(one);
  return out + counts_text(report);
}

}  // namespace hone::cli
