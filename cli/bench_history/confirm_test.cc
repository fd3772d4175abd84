#include "cli/bench_history/confirm.h"

#include <gtest/gtest.h>

#include "cli/bench_history/example.h"

namespace hone::bench_history {
namespace {

// Thirty nights on disk, the last fifteen slower; those that are named have kept their builds.
struct NightsWithBuilds {
  explicit NightsWithBuilds(const std::vector<size_t>& kept) : folder("confirm") {
    std::vector<Reading> readings = slower_from(15, 15);
    for (size_t i = 0; i < readings.size(); ++i) readings[i].file = folder.path / std::to_string(i) / "report.json";
    for (size_t i : kept) folder.write(cat(i, "/builds/mnist/manifest.json"), std::string("{}"));
    series = series_of(readings).front();
    change = changes_of({series})->front();
  }
  Confirmation confirmed(Result<protocol::BenchResult> answer) {
    const auto confirmation = confirm(series, change, [&](const BuildPair& pair) {
      asked.push_back(pair);
      return answer;
    });
    EXPECT_TRUE(confirmation.ok());
    return *confirmation;
  }
  std::string builds_of(size_t night) const { return folder.path / std::to_string(night) / "builds"; }

  ScratchFolder folder;
  CaseSeries series;
  Change change;
  std::vector<BuildPair> asked;
};

protocol::BenchResult compared(protocol::Verdict verdict, std::optional<protocol::Answer> regression = std::nullopt) {
  return {.state = protocol::BenchState::kMeasured, .comparison = protocol::BenchComparison{.verdict = verdict, .ratio = 1.1, .regression = regression}};
}

TEST(Confirm, TheNearestKeptBuildsAreCompared) {
  // Given nights of which some have kept their builds, when a suspicion is to be confirmed, then the last before it and the first after it are compared, of that case and on that class, and the verdict decides.
  NightsWithBuilds nights({3, 12, 17, 25});
  EXPECT_EQ(nights.confirmed(compared(protocol::Verdict::kSlower)).confirmed, Confirmed::kYes);
  ASSERT_EQ(nights.asked.size(), 1u);
  EXPECT_EQ(nights.asked[0].old_builds, nights.builds_of(12));
  EXPECT_EQ(nights.asked[0].new_builds, nights.builds_of(17));
  EXPECT_EQ(nights.asked[0].case_name, "mnist");
  EXPECT_EQ(nights.asked[0].device_key, kDesk);
  for (const protocol::Verdict verdict : {protocol::Verdict::kFaster, protocol::Verdict::kSame, protocol::Verdict::kInconclusive})
    EXPECT_EQ(nights.confirmed(compared(verdict)).confirmed, Confirmed::kNo);
}

TEST(Confirm, WithoutBuildsOrADeviceNothingIsKnown) {
  // Given nights without builds on one side, a class that no device has, or a comparison that failed, when a suspicion is to be confirmed, then it is not known, and says why; nothing is compared without builds.
  NightsWithBuilds before({3}), after({20}), both({3, 20});
  EXPECT_EQ(before.confirmed(compared(protocol::Verdict::kSlower)).message, "no night after it has kept its builds");
  EXPECT_EQ(after.confirmed(compared(protocol::Verdict::kSlower)).message, "no night before it has kept its builds");
  EXPECT_TRUE(before.asked.empty() && after.asked.empty());
  const auto skipped = both.confirmed(protocol::BenchResult{.state = protocol::BenchState::kSkipped, .message = "no webgpu device is connected"});
  EXPECT_EQ(skipped.confirmed, Confirmed::kUnknown);
  EXPECT_EQ(skipped.message, "no webgpu device is connected");
  EXPECT_EQ(both.confirmed(Error{ErrorCode::kIoError, "the disk is gone"}).message, "the disk is gone");
}

TEST(Confirm, NamesOfAReportLeadNowhere) {
  // Given a case whose name leads out of the folder of builds, or a device key that a selector would read as terms, when a suspicion is to be confirmed, then nothing is compared; sound names are.
  for (const char* name : {"../mnist", "..", "", "a/b", ".hidden"}) {
    NightsWithBuilds nights({3, 20});
    nights.series.case_name = name;
    EXPECT_EQ(nights.confirmed(compared(protocol::Verdict::kSlower)).confirmed, Confirmed::kUnknown) << name;
    EXPECT_TRUE(nights.asked.empty()) << name;
  }
  NightsWithBuilds nights({3, 20});
  nights.series.device_key = "target=webgpu&id=victim";
  EXPECT_EQ(nights.confirmed(compared(protocol::Verdict::kSlower)).confirmed, Confirmed::kUnknown);
  nights.series.device_key = kDesk;
  EXPECT_EQ(nights.confirmed(compared(protocol::Verdict::kSlower)).confirmed, Confirmed::kYes);
}

TEST(Confirm, ARegressionIsConfirmedAndTooMuch) {
  // Given confirmations, when they are asked for regressions, then it is one that is slower, by more than was permitted where something was.
  NightsWithBuilds nights({3, 20});
  EXPECT_TRUE(is_regression(nights.confirmed(compared(protocol::Verdict::kSlower))));
  EXPECT_TRUE(is_regression(nights.confirmed(compared(protocol::Verdict::kSlower, protocol::Answer::kYes))));
  EXPECT_FALSE(is_regression(nights.confirmed(compared(protocol::Verdict::kSlower, protocol::Answer::kUnknown))));
  EXPECT_FALSE(is_regression(nights.confirmed(compared(protocol::Verdict::kSame))));
  EXPECT_FALSE(is_regression({}));
}

TEST(Confirm, AnInterruptEndsIt) {
  // Given a comparison that somebody interrupts, when a suspicion is to be confirmed, then that is the error, and no answer.
  NightsWithBuilds nights({3, 20});
  const auto confirmation = confirm(nights.series, nights.change, [](const BuildPair&) -> Result<protocol::BenchResult> { return Error{ErrorCode::kCancelled, "the benchmark was cancelled"}; });
  ASSERT_FALSE(confirmation.ok());
  EXPECT_EQ(confirmation.error().code, ErrorCode::kCancelled);
}

}  // namespace
}  // namespace hone::bench_history
