#include "tests/replay/passes.h"

#include <gtest/gtest.h>

namespace hone::replay {
namespace {

Pass pass_of(const std::map<std::string, double>& times_us) {
  Pass pass;
  for (const auto& [choice, us] : times_us) pass[choice] = {ErrorCode::kOk, us, 5, 10};
  return pass;
}

TEST(Passes, ASlowPassIsLevelled) {
  // Given kernels of 100 to 700 µs and a second pass over five of them while the machine took half as long again, with one outlier, when the passes
  // are levelled, then the second says what the first does, the outlier stays one, and the first is as it was.
  const Pass first = pass_of({{"a", 100}, {"b", 200}, {"c", 300}, {"d", 400}, {"e", 500}, {"f", 600}, {"g", 700}});
  const Pass second = pass_of({{"a", 150}, {"b", 300}, {"c", 450}, {"d", 600}, {"e", 3000}});
  const Pass third = pass_of({{"a", 100}, {"b", 200}, {"c", 300}, {"d", 400}, {"e", 500}});
  const std::vector<Pass> level = levelled({first, second, third});
  for (const char* choice : {"a", "b", "c", "d"}) {
    EXPECT_NEAR(level[1].at(choice).latency_us, first.at(choice).latency_us, 1e-9) << choice;
    EXPECT_EQ(combine(level, {choice}).latency_us, first.at(choice).latency_us);
  }
  EXPECT_NEAR(level[1].at("e").latency_us, 2000, 1e-9);
  EXPECT_EQ(combine(level, {"e"}).latency_us, 500);
  EXPECT_EQ(level[0].at("g").latency_us, 700);
}

TEST(Passes, FewKernelsLevelNothing) {
  // Given a second pass over three kernels, when passes are levelled, then it stays as it is: that may be three accidents.
  const Pass all = pass_of({{"a", 100}, {"b", 200}, {"c", 300}, {"d", 400}});
  const Pass few = pass_of({{"a", 200}, {"b", 400}, {"c", 600}});
  EXPECT_EQ(levelled({all, few})[1].at("a").latency_us, 200);
}

TEST(Passes, AreCombinedByWhicheverChoiceWasMeasured) {
  // Given a kernel of two choices, one of which failed in the first pass and has a time in the others, when passes are combined, then its time is their
  // median, and its samples are all of them; a kernel that never had a time keeps its first outcome.
  Pass failed;
  failed["x"] = {ErrorCode::kTimeout, 0, 0, 0};
  failed["z"] = {ErrorCode::kCompileError, 0, 0, 0};
  const std::vector<Pass> passes{failed, pass_of({{"x", 10}}), pass_of({{"y", 30}})};
  const Combined kernel = combine(passes, {"x", "y"});
  EXPECT_EQ(kernel.outcome, ErrorCode::kOk);
  EXPECT_EQ(kernel.latency_us, 20);
  EXPECT_EQ(kernel.times, 2);
  EXPECT_EQ(kernel.samples, 10);
  EXPECT_EQ(combine(passes, {"z"}).outcome, ErrorCode::kCompileError);
  EXPECT_EQ(combine(passes, {"nothing"}).times, 0);
}

}  // namespace
}  // namespace hone::replay
