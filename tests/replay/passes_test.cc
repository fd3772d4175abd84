#include "tests/replay/passes.h"

#include <gtest/gtest.h>

namespace hone::replay {
namespace {

Pass pass_of(const std::map<std::string, double>& times_us) {
  Pass pass;
  for (const auto& [choice, us] : times_us) pass[choice] = {ErrorCode::kOk, us, 5, 10};
  return pass;
}

TEST(Passes, AttemptsBesideOtherWorkDoNotCount) {
  // Given a kernel of five passes, in two of which something else had a share of its core, when they are combined, then its time is the median of the
  // three that agree; given one that took as long in no two passes, then it is the least, which nothing confirms.
  std::vector<Pass> passes;
  for (double us : {104.0, 180.0, 100.0, 102.0, 155.0}) passes.push_back(pass_of({{"agrees", us}}));
  passes[0]["differs"] = passes[1]["agrees"];
  passes[1]["differs"] = passes[4]["agrees"];
  const Combined agrees = combine(passes, {"agrees"}), differs = combine(passes, {"differs"});
  EXPECT_EQ(agrees.latency_us, 102);
  EXPECT_EQ(agrees.confirmed, 3);
  EXPECT_EQ(agrees.times, 5);
  EXPECT_EQ(differs.latency_us, 155);
  EXPECT_EQ(differs.confirmed, 1);
}

TEST(Passes, AreCombinedByWhicheverChoiceWasMeasured) {
  // Given a kernel of two choices, one of which failed in the first pass and has a time in the others, when passes are combined, then its time is theirs, and
  // its samples are all of them; a kernel that never had a time keeps its first outcome.
  Pass failed;
  failed["x"] = {ErrorCode::kTimeout, 0, 0, 0};
  failed["z"] = {ErrorCode::kCompileError, 0, 0, 0};
  const std::vector<Pass> passes{failed, pass_of({{"x", 30}}), pass_of({{"y", 32}})};
  const Combined kernel = combine(passes, {"x", "y"});
  EXPECT_EQ(kernel.outcome, ErrorCode::kOk);
  EXPECT_EQ(kernel.latency_us, 31);
  EXPECT_EQ(kernel.times, 2);
  EXPECT_EQ(kernel.samples, 10);
  EXPECT_EQ(combine(passes, {"z"}).outcome, ErrorCode::kCompileError);
  EXPECT_EQ(combine(passes, {"nothing"}).times, 0);
}

TEST(Passes, TheNextOneMeasuresWhatIsDoubtfulAndTheFastest) {
  // Given nothing measured, then the next pass is over all. Given 40 kernels with two times that agree, one with two that do not, one with five such,
  // and one that never compiles, then it is over the 30 fastest and the first of the doubtful; once the fastest have ten times, over that alone; when
  // its times agree, nothing is left.
  EXPECT_EQ(next_pass(std::vector<Combined>(3)).size(), 3u);
  std::vector<Combined> now;
  for (int i = 0; i < 40; ++i) now.push_back({ErrorCode::kOk, 100.0 + i, 1, 6, 2, 2});
  now.push_back({ErrorCode::kOk, 500, 1, 6, 2, 1});
  now.push_back({ErrorCode::kOk, 600, 1, 15, 5, 1});
  now.push_back({ErrorCode::kCompileError});
  const std::vector<size_t> next = next_pass(now);
  EXPECT_EQ(next.size(), 31u);
  EXPECT_EQ(next.back(), 40u);
  for (size_t i = 0; i < 20; ++i) now[i].times = 10;
  EXPECT_EQ(next_pass(now), std::vector<size_t>{40});
  now[40].confirmed = 2;
  EXPECT_TRUE(next_pass(now).empty());
}

}  // namespace
}  // namespace hone::replay
