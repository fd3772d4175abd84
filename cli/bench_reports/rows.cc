#include "cli/bench_reports/rows.h"

#include <cmath>
#include <cstdio>

#include "base/cat.h"
#include "base/number_text.h"

namespace hone::bench_reports {

namespace {

Standing standing_of(const protocol::BenchResult& result) {
  if (result.state == protocol::BenchState::kFailed) return Standing::kFailed;
  if (result.state == protocol::BenchState::kSkipped) return Standing::kSkipped;
  if (!result.comparison) return Standing::kMeasured;
  switch (result.comparison->verdict) {
    case protocol::Verdict::kFaster:
      return Standing::kFaster;
    case protocol::Verdict::kSlower:
      return Standing::kSlower;
    case protocol::Verdict::kSame:
      return Standing::kSame;
    case protocol::Verdict::kInconclusive:
      return Standing::kInconclusive;
  }
  return Standing::kInconclusive;
}

bool is_regression(const protocol::BenchResult& result) {
  return result.comparison && result.comparison->regression == protocol::Answer::kYes;
}

// What is said of a threshold; "" where it is kept, or there is none.
std::string threshold_text(const protocol::BenchReport& report, const protocol::BenchComparison& comparison) {
  if (!report.fail_above || !comparison.regression || comparison.regression == protocol::Answer::kNo) return "";
  const std::string above = given_text(*report.fail_above * 100);
  return comparison.regression == protocol::Answer::kYes
             ? cat("; it is slower by more than the ", above, " % that are permitted")
             : cat("; whether it is slower by more than ", above, " % is not known");
}

std::string measured_text(const protocol::BenchReport& report, const protocol::BenchResult& result) {
  const std::string now = result.new_times ? time_text(result.new_times->median_ms) : "-";
  if (!result.comparison) return cat("the median is ", now);
  const protocol::BenchComparison& comparison = *result.comparison;
  const std::string before = result.old_times ? cat(", before ", time_text(result.old_times->median_ms)) : "";
  return cat("the median is ", now, before, ": ", change_text(comparison.ratio), ", ", level_text(report.alpha),
             " interval ", interval_text(comparison.ratio_low, comparison.ratio_high), ", ",
             counted(comparison.pairs, "pair"), ", ", standing_name(standing_of(result)),
             threshold_text(report, comparison));
}

}  // namespace

const char* standing_name(Standing standing) {
  switch (standing) {
    case Standing::kSlower:
      return "slower";
    case Standing::kFailed:
      return "failed";
    case Standing::kFaster:
      return "faster";
    case Standing::kInconclusive:
      return "inconclusive";
    case Standing::kSame:
      return "the same";
    case Standing::kMeasured:
      return "measured";
    case Standing::kSkipped:
      return "skipped";
  }
  return "";
}

std::vector<Row> rows_of(const protocol::BenchReport& report) {
  std::vector<Row> rows;
  for (const protocol::BenchCase& one : report.cases)
    for (const protocol::BenchResult& result : one.results)
      rows.push_back({&one, &result, standing_of(result), is_regression(result)});
  return rows;
}

std::string headline(const protocol::BenchReport& report, const std::vector<Row>& rows) {
  std::array<size_t, kStandings> counts{};
  size_t regressions = 0;
  for (const Row& row : rows) {
    ++counts[static_cast<size_t>(row.standing)];
    regressions += row.regression ? 1 : 0;
  }
  std::string text;
  for (const Standing standing : {Standing::kSlower, Standing::kFaster, Standing::kSame, Standing::kInconclusive,
                                  Standing::kMeasured, Standing::kSkipped, Standing::kFailed}) {
    const size_t count = counts[static_cast<size_t>(standing)];
    const bool always = report.old_build && (standing == Standing::kSlower || standing == Standing::kFaster);
    if (count > 0 || always) text += cat(text.empty() ? "" : ", ", count, " ", standing_name(standing));
  }
  if (text.empty()) return "nothing was measured";
  return regressions > 0 ? cat(counted(static_cast<int64_t>(regressions), "regression"), "; ", text) : text;
}

std::string device_name(const protocol::BenchDevice& device) {
  if (!device.label.empty()) return device.label;
  return device.text.empty() ? device.device_id : device.text;
}

std::string device_name(const protocol::BenchResult& result) {
  return result.device ? device_name(*result.device) : "no device";
}

std::string build_text(const protocol::BenchBuild& build) {
  return build.commit ? cat(build.name, " (", build.commit->substr(0, 12), ")") : build.name;
}

std::string change_text(double ratio) {
  const double percent = (ratio - 1) * 100;
  char text[64];
  std::snprintf(text, sizeof text, std::abs(percent) < 1000 ? "%+.1f %%" : "%+.3g %%", percent);
  return text;
}

std::string interval_text(const std::optional<double>& low, const std::optional<double>& high) {
  if (low && high) return cat(change_text(*low), " to ", change_text(*high));
  if (low) return cat("from ", change_text(*low), " on");
  return high ? cat("up to ", change_text(*high)) : "not known";
}

std::string level_text(double alpha) { return cat(given_text(std::round((1 - alpha) * 1e4) / 100), " %"); }

std::string sentence(const protocol::BenchReport& report, const Row& row) {
  if (row.result->state == protocol::BenchState::kMeasured) return measured_text(report, *row.result);
  return row.result->message.empty() ? standing_name(row.standing) : row.result->message;
}

}  // namespace hone::bench_reports
