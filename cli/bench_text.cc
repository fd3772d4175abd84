#include "cli/bench_text.h"

#include "base/cat.h"
#include "base/number_text.h"
#include "cli/bench_reports/rows.h"
#include "cli/console.h"

namespace hone::cli {

namespace {

using bench_reports::Row;
using bench_reports::Standing;

std::string ms_text(const std::optional<protocol::BenchTimes>& times) { return times ? time_text(times->median_ms) : "-"; }

std::string verdict_text(const Row& row) { return cat(bench_reports::standing_name(row.standing), row.regression ? ": too much" : ""); }

std::vector<std::string> cells(const Row& row, bool compares) {
  const protocol::BenchResult& result = *row.result;
  std::vector<std::string> out{row.of->name, bench_reports::device_name(result), ms_text(result.new_times)};
  if (!compares) return out;
  const auto& comparison = result.comparison;
  out.push_back(ms_text(result.old_times));
  out.push_back(comparison ? bench_reports::change_text(comparison->ratio) : "-");
  out.push_back(comparison ? bench_reports::interval_text(comparison->ratio_low, comparison->ratio_high) : "-");
  out.push_back(comparison ? cat(comparison->pairs) : "-");
  out.push_back(verdict_text(row));
  return out;
}

Table table_of(const protocol::BenchReport& report, const std::vector<Row>& rows) {
  const bool compares = report.old_build.has_value();
  Table table{.rows = {{"case", "device", "time"}}, .numeric = {false, false, true}};
  if (compares) {
    table.rows.front() = {"case", "device", "new", "old", "change", bench_reports::level_text(report.alpha), "pairs", "verdict"};
    table.numeric = {false, false, true, true, true, true, true, false};
  }
  for (const Row& row : rows) table.rows.push_back(cells(row, compares));
  return table;
}

std::string classes_text(const protocol::BenchCase& one) {
  std::string out;
  for (const protocol::BenchClass& effect : one.classes)
    if (effect.differs) out += cat(one.name, ": ", bench_reports::change_text(effect.ratio), " on ", effect.device_class, ", unlike elsewhere\n");
  return out;
}

std::string reason_text(const Row& row) {
  if (row.result->state == protocol::BenchState::kMeasured) return "";
  return cat(row.of->name, row.standing == Standing::kFailed ? " was not measured: " : " was skipped: ", row.result->message, "\n");
}

}  // namespace

std::string bench_text(const protocol::BenchReport& report) {
  const std::vector<Row> rows = bench_reports::rows_of(report);
  std::string out = table_text(table_of(report, rows));
  if (report.old_build) out += cat("old: ", report.old_build->name, report.old_build->made_by.empty() ? "" : cat(" (hone ", report.old_build->made_by, ")"), "\n");
  for (const protocol::BenchCase& one : report.cases) out += classes_text(one);
  for (const Row& row : rows) out += reason_text(row);
  return out + cat(bench_reports::headline(report, rows), "; ", time_text(report.took_ms), "\n");
}

}  // namespace hone::cli
