#include "cli/history_views.h"

#include <gtest/gtest.h>

#include "cli/bench_history/example.h"

namespace hone::cli {
namespace {

using bench_history::Confirmation;
using bench_history::Confirmed;
using bench_history::Reading;

// A build that is slower from the sixteenth night on, a browser from the thirty-first, and a driver with too few nights behind it.
History history_with(std::vector<std::optional<Confirmation>> confirmations = {}) {
  std::vector<Reading> readings = bench_history::slower_from(15, 30);
  for (size_t i = 30; i < 45; ++i) readings[i].browser = "chromium 141";
  for (size_t i = 42; i < 45; ++i) readings[i].driver = "32.0";
  readings.push_back(bench_history::night(44, 7, bench_history::kPhone));
  History history{.reports = 45, .series = bench_history::series_of(readings)};
  history.changes = *bench_history::changes_of(history.series);
  history.confirmations = std::move(confirmations);
  history.confirmations.resize(history.changes.size());
  return history;
}

Confirmation compared(Confirmed confirmed, protocol::Verdict verdict, double ratio) {
  return {.confirmed = confirmed, .comparison = protocol::BenchComparison{.verdict = verdict, .ratio = ratio, .ratio_low = ratio - 0.01, .ratio_high = ratio + 0.01, .pairs = 60}};
}

TEST(HistoryViews, ChangesHaveTheirCause) {
  // Given a history with a slower build, a browser's update that changes nothing, and a driver's with too few nights behind it, when it is shown, then each has its night, its times, its change and its cause.
  EXPECT_EQ(history_text(history_with()),
            "case   device  from (UTC)         before    after          change  cause\n"
            "mnist  desk    2026-12-15 00:53  2.00 ms  2.20 ms         +10.0 %  build: build 14 → build 15\n"
            "mnist  desk    2026-12-30 00:53  2.20 ms  2.20 ms      none found  browser update: chromium 140 → chromium 141\n"
            "mnist  desk    2027-01-11 00:53        -        -  too few nights  driver update: 31.0 → 32.0\n"
            "45 reports, 2 series; 1 suspicion, 2 updates\n"
            "1 series has less than 24 nights, in which no change by a build can be found\n"
            "A suspicion is no verdict: --confirm compares the two builds in turns.\n");
}

TEST(HistoryViews, WhatWasComparedStandsBesideIt) {
  // Given a suspicion that is confirmed, is not, or cannot be, when the history is shown, then it says so with the verdict and the interval, or why; only the first is a regression.
  const History yes = history_with({compared(Confirmed::kYes, protocol::Verdict::kSlower, 1.1)});
  EXPECT_NE(history_text(yes).find("build: build 14 → build 15                   confirmed: slower, +10.0 % (+9.0 % to +11.0 %)\n"), std::string::npos) << history_text(yes);
  EXPECT_EQ(history_text(yes).find("--confirm"), std::string::npos);
  EXPECT_EQ(regressions_in(yes), 1u);
  const History no = history_with({compared(Confirmed::kNo, protocol::Verdict::kSame, 1)});
  EXPECT_NE(history_text(no).find("not confirmed: same, +0.0 % (-1.0 % to +1.0 %)\n"), std::string::npos) << history_text(no);
  EXPECT_EQ(regressions_in(no), 0u);
  const History unknown = history_with({Confirmation{.message = "no night before it has kept its builds"}});
  EXPECT_NE(history_text(unknown).find("not known: no night before it has kept its builds\n"), std::string::npos);
  EXPECT_EQ(regressions_in(unknown), 0u);
}

TEST(HistoryViews, AnUpdateThatDidNothingIsOneRow) {
  // Given three cases on one device whose browser comes anew, which makes one of them slower, when the history is shown, then that one has a row of its own, and the other two share one.
  std::vector<Reading> readings;
  for (const char* name : {"a", "b", "c"})
    for (Reading reading : bench_history::slower_from(15, 15)) {
      reading.case_name = name;
      if (reading.median_ms > 2.1) reading.browser = "chromium 141", reading.median_ms /= *name == 'b' ? 1 : 1.1;
      readings.push_back(reading);
    }
  History history{.reports = 30, .series = bench_history::series_of(readings)};
  history.changes = *bench_history::changes_of(history.series);
  history.confirmations.resize(history.changes.size());
  EXPECT_EQ(history_text(history),
            "case     device  from (UTC)         before    after      change  cause\n"
            "2 cases  desk    2026-12-15 00:53        -        -  none found  browser update: chromium 140 → chromium 141\n"
            "b        desk    2026-12-15 00:53  2.00 ms  2.20 ms     +10.0 %  browser update: chromium 140 → chromium 141\n"
            "30 reports, 3 series; 0 suspicions, 3 updates\n");
}

TEST(HistoryViews, AHistoryOfNothing) {
  // Given a history without a change, when it is shown, then it says so, with what was read.
  EXPECT_EQ(history_text({}), "no change was found\n0 reports, 0 series; 0 suspicions, 0 updates\n");
}

TEST(HistoryViews, NamesAreAnybodysWords) {
  // Given a case's name that would clear a terminal, when the history is shown, then it stands there as words.
  History history = history_with();
  for (auto& series : history.series) series.case_name = "\x1b[2J\nmnist";
  EXPECT_EQ(history_text(history).find('\x1b'), std::string::npos);
  EXPECT_NE(history_text(history).find("\\u001b[2J\\u000amnist"), std::string::npos) << history_text(history);
}

TEST(HistoryViews, ProgramsGetTheSame) {
  // Given a history with a confirmed suspicion, when it is JSON, then each change has its series, moment, files, cause and finding; one without times has none.
  const nlohmann::ordered_json json = history_json(history_with({compared(Confirmed::kYes, protocol::Verdict::kSlower, 1.1)}));
  EXPECT_EQ(json["reports"], 45);
  ASSERT_EQ(json["series"].size(), 2u);
  EXPECT_EQ(json["series"][0]["nights"], 45);
  ASSERT_EQ(json["changes"].size(), 3u);
  const auto& build = json["changes"][0];
  EXPECT_EQ(build["cause"], "build");
  EXPECT_EQ(build["finding"], "changed");
  EXPECT_EQ(build["unix_ms"], bench_history::kFirstNight_unix_ms + 15 * bench_history::kDay_ms);
  EXPECT_EQ(build["before"], "nights/14.json");
  EXPECT_EQ(build["after"], "nights/15.json");
  EXPECT_NEAR(build["before_ms"].get<double>(), 2, 0.01);
  EXPECT_NEAR(build["change"].get<double>(), 0.1, 0.01);
  EXPECT_EQ(build["confirmation"]["confirmed"], "yes");
  EXPECT_EQ(build["confirmation"]["regression"], true);
  EXPECT_EQ(json["changes"][1]["cause"], "browser");
  EXPECT_FALSE(json["changes"][1].contains("confirmation"));
  EXPECT_EQ(json["changes"][2]["finding"], "too_few_nights");
  EXPECT_FALSE(json["changes"][2].contains("before_ms"));
}

}  // namespace
}  // namespace hone::cli
