#include "cli/bench_text.h"

#include <gtest/gtest.h>

namespace hone::cli {
namespace {

protocol::BenchReport report() {
  protocol::BenchReport out{.took_ms = 90'000, .new_build = {.name = "this build"}, .old_build = protocol::BenchBuild{.name = "builds", .made_by = "0.2.0"}, .alpha = 0.01, .fail_above = 0.03};
  const protocol::BenchDevice device{.device_id = "d1", .text = "chromium 156, wasm"};
  const protocol::BenchTimes slow{.median_ms = 2.1, .samples_ms = {2.1}}, fast{.median_ms = 2, .samples_ms = {2}};
  const protocol::BenchComparison comparison{.verdict = protocol::Verdict::kSlower, .ratio = 1.05, .ratio_low = 1.04, .ratio_high = 1.06, .pairs = 60, .regression = protocol::Answer::kYes};
  out.cases.push_back({.name = "slow", .results = {{.state = protocol::BenchState::kMeasured, .device = device, .new_times = slow, .old_times = fast, .comparison = comparison}},
                       .classes = {{.device_class = "phone", .ratio = 4, .differs = true}, {.device_class = "laptop", .ratio = 1}}});
  out.cases.push_back({.name = "absent", .results = {{.state = protocol::BenchState::kSkipped, .message = "no device for webgpu"}}});
  return out;
}

TEST(BenchText, SaysWhatDiffersAndWhatWasLeftOut) {
  // Given a case that is slower by more than is permitted, most of all on one class, and one that was skipped, when the report is printed, then both are in the table, the class is named, and the reason is told.
  const std::string text = bench_text(report());
  for (const char* part : {"+5.0 %", "+4.0 % to +6.0 %", "99 %", "slower: too much", "old: builds (hone 0.2.0)", "slow: +300.0 % on phone, unlike elsewhere", "absent was skipped: no device for webgpu", "1 slower"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_EQ(text.find("laptop"), std::string::npos) << text;
}

}  // namespace
}  // namespace hone::cli
