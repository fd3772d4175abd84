// hone bench history: where the times of a benchmark changed, night after night, and by what.
#include <cstdio>

#include "base/cat.h"
#include "base/printable_text.h"
#include "cli/bench_verbs.h"
#include "cli/compare_pair.h"
#include "cli/console.h"
#include "cli/history_views.h"
#include "cli/share.h"

namespace hone::cli {
namespace {

using bench_history::BuildPair;
using bench_history::Confirmation;

struct HistoryOptions {
  CommonOptions common;
  PlaceOptions place;
  std::vector<std::string> places;
  std::string fail_on_regression;
  bool confirms = false;
  int pairs_max = 120;
};

Result<History> read_history(const std::vector<std::string>& places) {
  HONE_ASSIGN(nights, bench_history::read_nights(places));
  History history{.reports = nights.reports, .skipped = std::move(nights.skipped), .series = bench_history::series_of(std::move(nights.readings))};
  HONE_ASSIGN(changes, bench_history::changes_of(history.series));
  history.changes = std::move(changes);
  history.confirmations.resize(history.changes.size());
  return history;
}

Result<protocol::BenchResult> compare_kept(const HistoryOptions& options, const BuildPair& pair, std::optional<double> fail_above) {
  const BenchCase one{.name = pair.case_name, .package = cat(pair.new_builds, "/", pair.case_name), .target = pair.target, .device = pair.device_key, .pairs_max = options.pairs_max};
  HONE_ASSIGN(report, compare_pair({.old_build = pair.old_builds, .new_build = pair.new_builds}, {.name = "confirm", .cases = {one}}, options.common, options.place, fail_above));
  if (report.cases.empty() || report.cases.front().results.empty()) return Error{ErrorCode::kNotFound, "nothing was compared"};
  return report.cases.front().results.front();
}

Status confirm_all(History& history, const HistoryOptions& options, std::optional<double> fail_above) {
  for (size_t i = 0; i < history.changes.size(); ++i) {
    const bench_history::Change& change = history.changes[i];
    if (!bench_history::is_suspicion(change)) continue;
    HONE_ASSIGN(confirmation, bench_history::confirm(history.series[change.series], change, [&](const BuildPair& pair) { return compare_kept(options, pair, fail_above); }));
    history.confirmations[i] = std::move(confirmation);
  }
  return ok_status();
}

void tell_skipped(const std::vector<std::string>& skipped) {
  for (const std::string& file : skipped) std::fputs(printable_lines(cat("left out: ", file, "\n")).c_str(), stderr);
}

ExitCode judged_history(const History& history, const std::string& share) {
  const size_t regressions = regressions_in(history);
  if (share.empty() || regressions == 0) return ExitCode::kDone;
  return fail({ErrorCode::kLimitExceeded, cat(regressions, regressions == 1 ? " change is" : " changes are", " slower by more than ", share, ", confirmed in turns")});
}

ExitCode run_history(const HistoryOptions& options) {
  if (!options.fail_on_regression.empty() && !options.confirms) return usage_error("--fail-on-regression tells of what is confirmed only: add --confirm");
  std::optional<double> fail_above;
  if (!options.fail_on_regression.empty()) {
    const auto share = parse_share(options.fail_on_regression);
    if (!share.ok()) return usage_error(share.error().message);
    fail_above = *share;
  }
  auto history = read_history(options.places);
  if (!history.ok()) return fail(history.error());
  tell_skipped(history->skipped);
  if (history->reports == 0) return fail({ErrorCode::kNotFound, "no report was read; give those that hone bench --report json=FILE wrote, or a folder of them"});
  if (options.confirms)
    if (const Status done = confirm_all(*history, options, fail_above); !done.ok()) return fail(done.error());
  if (options.common.json) print_json(history_json(*history));
  else print_text(history_text(*history));
  return judged_history(*history, options.fail_on_regression);
}

}  // namespace

void add_bench_history(Verb bench) {
  auto options = std::make_shared<HistoryOptions>();
  Verb verb = bench.sub("history", "Where times changed over many benchmarks, and by what");
  verb.footer(
      "Examples:\n"
      "  hone bench --suite suite.yaml --keep nights/1/builds --report json=nights/1/report.json    each night, in a folder of its own\n"
      "  hone bench history nights                                     what changed, and whether a browser or a driver came\n"
      "  hone bench history nights --confirm --fail-on-regression 3%   the builds before and after, in turns\n"
      "A change needs 12 nights on each side (docs/measurement.md).");
  verb.option("places", options->places, "Reports, or folders of reports and of nights").required().check(not_empty());
  verb.flag("--confirm", options->confirms, "Compares the kept builds around each change that no update explains, in turns");
  verb.option("--fail-on-regression", options->fail_on_regression, "Exits with 1 where something is slower by more than this share, confirmed, such as 3%").check(not_empty());
  verb.option("--pairs", options->pairs_max, "Pairs of times after which it is not known which build is faster").default_shown().check(in_range(10, 480));
  verb.option("--browser", options->place.browser, "Browser to start for --confirm: chromium, firefox, node, or a program's path");
  verb.flag("--own-browser", options->place.own_browser, "Starts a browser even if a service of yours (hone up) runs on this machine; implied by --browser");
  verb.option("--wait", options->place.wait_s, "Seconds to wait for a device of the class").default_shown().check(seconds_from_0()).on_given([options] { options->place.wait_given = true; });
  add_common_options(verb, options->common, {Uses::kDatabase, Uses::kService, Uses::kSeed});
  verb.runs([options] {
    set_up_logging({.quiet = options->common.quiet, .warnings_only = true});
    return run_history(*options);
  });
}

}  // namespace hone::cli
