// hone report: what a benchmark wrote, in the forms that people, pull requests and other programs read.
#include <algorithm>
#include <cstdio>

#include "base/cat.h"
#include "base/number_text.h"
#include "cli/bench_reports/reports.h"
#include "cli/console.h"
#include "cli/options.h"
#include "cli/report_file.h"
#include "cli/source.h"

namespace hone::cli {
namespace {

using bench_reports::ReportFormat;

struct ReportOptions {
  CommonOptions common;
  std::vector<std::string> files;
  std::string format = "markdown", out;
  bool fail_on_regression = false;
};

Result<std::vector<protocol::BenchReport>> read_reports(const std::vector<std::string>& files) {
  std::vector<protocol::BenchReport> reports;
  for (const std::string& file : files) {
    HONE_ASSIGN(bytes, read_file(file));
    auto report = bench_reports::read_bench_report(bytes);
    if (!report.ok()) return Error{report.error().code, cat(file, ": ", report.error().message)};
    reports.push_back(std::move(*report));
  }
  return reports;
}

// The page's policy permits its script byte by byte. All else is shown, never interpreted.
void print_report(const std::string& text, ReportFormat format) {
  if (format == ReportFormat::kHtml) (void)std::fwrite(text.data(), 1, text.size(), stdout);
  else print_text(text);
}

// Of the report that began last: earlier ones are history.
ExitCode judged(const std::vector<protocol::BenchReport>& reports) {
  const auto& last = *std::max_element(reports.begin(), reports.end(), [](const auto& a, const auto& b) {
    return a.started_unix_ms < b.started_unix_ms;
  });
  if (!last.fail_above)
    return fail({ErrorCode::kInvalidArgument,
                 "the report says nothing of regressions; hone bench --fail-on-regression 3% has it say what is slower "
                 "by more than 3 %"});
  const size_t regressions = bench_reports::regressions_in(last);
  if (regressions == 0) return ExitCode::kDone;
  return fail({ErrorCode::kLimitExceeded,
               cat(counted(static_cast<int64_t>(regressions), "result"), regressions == 1 ? " is" : " are",
                   " slower by more than ", given_text(*last.fail_above * 100), " %")});
}

ExitCode run_report_verb(const ReportOptions& options) {
  const ReportFormat format = *bench_reports::format_named(options.common.json ? "json" : options.format);
  if (options.files.size() > 1 && format != ReportFormat::kHtml)
    return usage_error(
        "only --format html takes several reports, of which it shows the last with a history of all; give one FILE");
  auto reports = read_reports(options.files);
  if (!reports.ok()) return fail(reports.error());
  const auto text = format == ReportFormat::kHtml ? bench_reports::html_report(*reports)
                                                  : bench_reports::report_text(reports->front(), format);
  if (!text.ok()) return fail(text.error());
  if (options.out.empty()) print_report(*text, format);
  else if (const Status written = write_report_text(options.out, *text); !written.ok()) return fail(written.error());
  return options.fail_on_regression ? judged(*reports) : ExitCode::kDone;
}

}  // namespace

void add_report(Verb program) {
  auto options = std::make_shared<ReportOptions>();
  Verb verb = program.sub("report", "What a benchmark wrote, as a page, a comment, or for other programs");
  verb.footer(
      "Examples:\n"
      "  hone report report.json --format html --out report.html      a page that needs no network\n"
      "  hone report night/*.json --format html --out history.html    the last night, and how it came to that\n"
      "  hone report report.json --format junit --out junit.xml       for a build server\n"
      "docs/ci.md has a pull request judged with it.");
  verb.option("files", options->files, "Reports that hone bench --report json=FILE wrote; several with html alone")
      .required();
  verb.option("--format", options->format, "What to make of it")
      .check(one_of(bench_reports::format_names()))
      .default_shown();
  verb.option("--out", options->out, "File to write; by default stdout").check(not_empty());
  verb.flag("--fail-on-regression", options->fail_on_regression,
            "Exit with 1 where something is slower by more than the benchmark permitted");
  add_common_options(verb, options->common, {});
  verb.runs([options] {
    set_up_logging({.quiet = options->common.quiet});
    return run_report_verb(*options);
  });
}

}  // namespace hone::cli
