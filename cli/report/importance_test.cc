#include "cli/report/importance.h"

#include <gtest/gtest.h>

#include "base/cat.h"

namespace hone::report {
namespace {

tuner::KnownTrial trial(const std::string& words, double us) {
  return {.trace_json = cat(R"({"version":1,"sketch":"tile: )", words, R"(","steps":[]})"), .latency_us = us};
}

TEST(Importance, NamesTheDecisionThatTheTimesFollow) {
  // Given times that follow one decision alone, another that is without effect and one that never varies, when asked, then the first explains
  // all and its fast value is named, the second nothing, and the third is left out.
  std::vector<tuner::KnownTrial> trials;
  for (int rows : {1, 2, 4})
    for (int lanes : {1, 2, 4}) trials.push_back(trial(cat("rows=", rows, " lanes=", lanes, " order=k"), 100.0 * rows));
  const std::vector<Importance> all = decision_importance(trials);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].decision, "rows");
  EXPECT_NEAR(all[0].share, 1, 1e-9);
  EXPECT_EQ(all[0].best_value, "1");
  EXPECT_EQ(all[1].decision, "lanes");
  EXPECT_EQ(all[1].share, 0);
}

TEST(Importance, ManyValuesExplainNothingByChance) {
  // Given a decision with nearly as many values as there are trials, and times that have nothing to do with it, when asked, then what so many
  // values explain of any times is taken off.
  std::vector<tuner::KnownTrial> trials;
  const double us[] = {5, 9, 4, 8, 6, 7, 9, 5};
  for (int i = 0; i < 8; ++i) trials.push_back(trial(cat("rows=", i % 6), us[i]));
  EXPECT_LT(decision_importance(trials)[0].share, 0.3);
}

TEST(Importance, OnlyTimesCount) {
  // Given failed trials and traces without words, when asked, then they are passed over.
  EXPECT_TRUE(
      decision_importance({trial("rows=1", 0), trial("rows=2", 10), {.trace_json = "{}", .latency_us = 3}}).empty());
}

}  // namespace
}  // namespace hone::report
