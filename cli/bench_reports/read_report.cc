// What anybody may have written, as a report. The schema's own types and ranges are checked by from_json; here is what it cannot say.
#include <cmath>
#include <set>

#include "base/cat.h"
#include "base/json_text.h"
#include "base/printable_text.h"
#include "cli/bench_reports/reports.h"

namespace hone::bench_reports {

namespace {

constexpr double kTimeMax_ms = 365 * 86'400'000.0;  // [ms]

Error wrong(const std::string& where, const std::string& what) {
  return {ErrorCode::kInvalidArgument, cat("it is no report of a benchmark: ", where, ": ", what)};
}

Status check_above_0(const std::string& where, double value) {
  if (std::isfinite(value) && value > 0) return ok_status();
  return wrong(where, cat("expected a number above 0, found ", json_line(nlohmann::json(value))));
}

// [ms] a time that something took, or one execution of it
Status check_time(const std::string& where, double ms) {
  HONE_TRY(check_above_0(where, ms));
  return ms <= kTimeMax_ms ? ok_status() : Status(wrong(where, "expected less than a year"));
}

Status check_share(const std::string& where, double value) {
  if (std::isfinite(value) && value >= 0) return ok_status();
  return wrong(where, "expected a share of 0 or more");
}

Status check_took(const std::string& where, double ms) { return ms == 0 ? ok_status() : check_time(where, ms); }

Status check_moment(const std::string& where, uint64_t unix_ms) {
  return unix_ms <= kMomentMax_unix_ms ? ok_status() : Status(wrong(where, "expected a moment before the year 10000"));
}

Status check_interval(const std::string& where, const std::optional<double>& low, const std::optional<double>& high) {
  for (const std::optional<double>& end : {low, high})
    if (end) HONE_TRY(check_share(where, *end));
  if (low && high && *low > *high) return wrong(where, "the low end of the interval lies above its high end");
  return ok_status();
}

Status check_times(const std::string& where, const std::optional<protocol::BenchTimes>& times) {
  if (!times) return ok_status();
  for (const double ms : {times->median_ms, times->p10_ms, times->p90_ms}) HONE_TRY(check_time(where, ms));
  for (const double ms : times->samples_ms) HONE_TRY(check_time(where + ".samples_ms", ms));
  return ok_status();
}

Status check_comparison(const std::string& where, const protocol::BenchComparison& comparison) {
  HONE_TRY(check_above_0(where + ".ratio", comparison.ratio));
  return check_interval(where, comparison.ratio_low, comparison.ratio_high);
}

Status check_result(const std::string& where, const protocol::BenchResult& result) {
  HONE_TRY(check_moment(where + ".started_unix_ms", result.started_unix_ms));
  HONE_TRY(check_took(where + ".took_ms", result.took_ms));
  HONE_TRY(check_times(where + ".new_times", result.new_times));
  HONE_TRY(check_times(where + ".old_times", result.old_times));
  const bool measured = result.state == protocol::BenchState::kMeasured;
  if (measured && !result.new_times) return wrong(where, "it is called measured and has no times");
  if (measured && !result.device) return wrong(where, "it is called measured and names no device");
  if (!measured && result.comparison) return wrong(where, "it was not measured, and has a comparison");
  return result.comparison ? check_comparison(where + ".comparison", *result.comparison) : ok_status();
}

Status check_case(const std::string& where, const protocol::BenchCase& one) {
  for (size_t i = 0; i < one.results.size(); ++i)
    HONE_TRY(check_result(cat(where, ".results[", i, "]"), one.results[i]));
  for (const protocol::BenchClass& each : one.classes) HONE_TRY(check_above_0(where + ".classes", each.ratio));
  if (!one.mean) return ok_status();
  HONE_TRY(check_above_0(where + ".mean", one.mean->ratio));
  return check_interval(where + ".mean", one.mean->ratio_low, one.mean->ratio_high);
}

Status check_cases(const std::vector<protocol::BenchCase>& cases) {
  std::set<std::string_view> names;
  for (size_t i = 0; i < cases.size(); ++i) {
    const std::string where = cat("cases[", i, "]");
    if (!names.insert(cases[i].name).second)
      return wrong(where, cat("a second case of the name ", shortened(printable(cases[i].name))));
    HONE_TRY(check_case(where, cases[i]));
  }
  return ok_status();
}

Status check_head(const protocol::BenchReport& report) {
  HONE_TRY(check_moment("started_unix_ms", report.started_unix_ms));
  HONE_TRY(check_took("took_ms", report.took_ms));
  HONE_TRY(check_share("minimum_effect", report.minimum_effect));
  HONE_TRY(check_share("same_within", report.same_within));
  return report.fail_above ? check_share("fail_above", *report.fail_above) : ok_status();
}

// Before all else: what a later version changed need not have this one's form.
Status check_version(const nlohmann::json& json) {
  if (!json.is_object() || json.value("format", nlohmann::json()) != protocol::kBenchReportFormat)
    return wrong("format",
                 cat("expected ", protocol::kBenchReportFormat, "; hone bench --report json=FILE writes one"));
  const nlohmann::json version = json.value("version", nlohmann::json());
  if (version == protocol::kBenchReportVersion) return ok_status();
  return Error{ErrorCode::kVersionMismatch,
               cat("the report has version ", json_excerpt(version), ", and this hone reads version ",
                   protocol::kBenchReportVersion, "; take the hone that wrote it")};
}

}  // namespace

Result<protocol::BenchReport> read_bench_report(std::string_view bytes) {
  if (bytes.size() > protocol::kBenchReportBytesMax)
    return Error{ErrorCode::kLimitExceeded, cat("a report has ", protocol::kBenchReportBytesMax >> 20, " MiB at most")};
  HONE_ASSIGN(json, parse_json(bytes, {.bytes_max = protocol::kBenchReportBytesMax}));
  HONE_TRY(check_version(json));
  auto report = protocol::from_json<protocol::BenchReport>(json);
  if (!report.ok())
    return Error{ErrorCode::kInvalidArgument, cat("it is no report of a benchmark: ", report.error().message)};
  HONE_TRY(check_head(*report));
  HONE_TRY(check_cases(report->cases));
  return report;
}

}  // namespace hone::bench_reports
