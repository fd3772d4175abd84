#include "stats/many_cases.h"

#include <gtest/gtest.h>

namespace hone::stats {
namespace {

void expect_near(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-12) << i;
}

// Given p-values in any order, when they are adjusted, then they are what R's p.adjust makes of them.
TEST(ManyCases, AdjustsAsIsUsual) {
  const std::vector<double> p{0.01, 0.04, 0.03, 0.005};
  expect_near(holm_adjusted(p), {0.03, 0.06, 0.06, 0.02});
  expect_near(benjamini_hochberg_adjusted(p), {0.02, 0.04, 0.04, 0.02});
  expect_near(holm_adjusted({}), {});
  expect_near(holm_adjusted(std::vector<double>{0.6, 0.7}), {1, 1});
}

ComparisonResult result(Verdict verdict, double p_value, bool is_last_look = false) {
  return {.verdict = verdict, .p_value = p_value, .is_last_look = is_last_look};
}

// Given a hundred cases, when one is surely slower and one faster by what is accident among so many, then the first stays, and the second needs more pairs as
// long as there may be more.
TEST(ManyCases, KeepsWhatIsSureAmongAll) {
  for (const bool is_last : {false, true}) {
    std::vector<ComparisonResult> results(100, result(Verdict::kSame, 0.5, is_last));
    results[3] = result(Verdict::kSlower, 1e-6, is_last);
    results[50] = result(Verdict::kFaster, 0.008, is_last);
    const std::vector<Verdict> verdicts = family_verdicts(results, 0.01);
    EXPECT_EQ(verdicts[3], Verdict::kSlower);
    EXPECT_EQ(verdicts[50], is_last ? Verdict::kInconclusive : Verdict::kMorePairs);
    EXPECT_EQ(verdicts[0], Verdict::kSame);
  }
  const std::vector<ComparisonResult> alone{result(Verdict::kFaster, 0.008)};
  EXPECT_EQ(family_verdicts(alone, 0.01)[0], Verdict::kFaster);
}

}  // namespace
}  // namespace hone::stats
