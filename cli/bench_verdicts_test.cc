#include "cli/bench_verdicts.h"

#include <gtest/gtest.h>

#include "base/cat.h"
#include "cli/bench_reports/reports.h"

namespace hone::cli {
namespace {

protocol::BenchResult compared(double ratio, double p_value, const std::string& device_class = "laptop", const std::string& device = "d1") {
  const protocol::Verdict verdict = ratio > 1.004 ? protocol::Verdict::kSlower : ratio < 0.996 ? protocol::Verdict::kFaster : protocol::Verdict::kSame;
  return {.state = protocol::BenchState::kMeasured,
          .device = protocol::BenchDevice{.device_id = device, .text = device_class},
          .comparison = protocol::BenchComparison{
              .verdict = verdict, .ratio = ratio, .ratio_low = ratio * 0.996, .ratio_high = ratio * 1.004, .pairs = 60, .blocks = 15, .p_value = p_value, .standard_error = 0.0012}};
}

protocol::BenchReport empty_report(std::optional<double> fail_above = std::nullopt) {
  protocol::BenchReport report{.fail_above = fail_above};
  set_rule(report);
  return report;
}

TEST(BenchVerdicts, WhatIsPermittedIsTheSame) {
  // Given no threshold, one of 3 %, and one below what is called the same anyway, when the rule is set, then what differs by less than the threshold is the same, and by less than 1 % in any case.
  EXPECT_EQ(empty_report().same_within, 0.01);
  EXPECT_EQ(empty_report(0.03).same_within, 0.03);
  EXPECT_EQ(empty_report(0.0).same_within, 0.01);
}

TEST(BenchVerdicts, ManyCasesAreJudgedTogether) {
  // Given two hundred cases, one of which is surely slower and one only as far as it alone is looked at, when they are judged, then the first stays slower and the second is inconclusive.
  protocol::BenchReport report = empty_report();
  for (int i = 0; i < 200; ++i) report.cases.push_back({.name = cat(i), .results = {compared(i == 0 || i == 1 ? 1.05 : 1.0, i == 0 ? 1e-6 : i == 1 ? 0.005 : 0.8)}});
  ASSERT_TRUE(judge(report).ok());
  EXPECT_EQ(report.cases[0].results[0].comparison->verdict, protocol::Verdict::kSlower);
  EXPECT_EQ(report.cases[1].results[0].comparison->verdict, protocol::Verdict::kInconclusive);
  EXPECT_EQ(report.cases[2].results[0].comparison->verdict, protocol::Verdict::kSame);
  EXPECT_FALSE(bench_reports::regressions_in(report) > 0) << "nobody asked";
}

TEST(BenchVerdicts, ARegressionIsOneForSure) {
  // Given 3 % that are permitted, when cases are slower by 5 %, by about as much, by less, and by 5 % that the others' correction takes back, then the first is a regression, and only it.
  protocol::BenchReport report = empty_report();
  report.fail_above = 0.03;
  report.cases.push_back({.results = {compared(1.05, 1e-6)}});
  report.cases.push_back({.results = {compared(1.031, 1e-6)}});
  report.cases.push_back({.results = {compared(1.01, 1e-6)}});
  report.cases.push_back({.results = {compared(1.05, 0.5)}});
  ASSERT_TRUE(judge(report).ok());
  const std::vector<protocol::Answer> expected{protocol::Answer::kYes, protocol::Answer::kUnknown, protocol::Answer::kNo, protocol::Answer::kUnknown};
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(report.cases[i].results[0].comparison->regression, expected[i]) << i;
  EXPECT_TRUE(bench_reports::regressions_in(report) > 0);
}

TEST(BenchVerdicts, TheClassThatDiffersIsNamed) {
  // Given a kernel that is four times as slow on one of three classes of devices, when its devices are judged, then that class differs and no other, and the mean counts all devices.
  protocol::BenchReport report = empty_report();
  protocol::BenchCase one;
  for (const char* device_class : {"laptop", "phone", "tablet"})
    for (int i = 0; i < 3; ++i) one.results.push_back(compared((device_class == std::string("phone") ? 4 : 1) + 0.001 * i, 1e-4, device_class, cat(device_class, i)));
  report.cases.push_back(one);
  ASSERT_TRUE(judge(report).ok());
  ASSERT_TRUE(report.cases[0].mean);
  EXPECT_EQ(report.cases[0].mean->devices, 9u);
  ASSERT_EQ(report.cases[0].classes.size(), 3u);
  for (const protocol::BenchClass& effect : report.cases[0].classes) {
    EXPECT_EQ(effect.differs, effect.device_class == "phone") << effect.device_class;
    EXPECT_NEAR(effect.ratio, effect.differs ? 4 : 1, 0.01);
  }
}

TEST(BenchVerdicts, WhatHasNoTimesFails) {
  // Given a case that was skipped and one that failed, when it is asked for failures, then the second counts alone.
  protocol::BenchReport report = empty_report();
  report.cases.push_back({.results = {{.state = protocol::BenchState::kSkipped}}});
  EXPECT_FALSE(has_failure(report));
  report.cases.push_back({.results = {{.state = protocol::BenchState::kFailed}}});
  EXPECT_TRUE(has_failure(report));
}

}  // namespace
}  // namespace hone::cli
