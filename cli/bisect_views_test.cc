#include "cli/bisect_views.h"

#include <gtest/gtest.h>

#include "cli/bisect/scratch_git.h"

namespace hone::cli {
namespace {

using bisect::Judgement;

bisect::Judged judged(Judgement judgement, double ratio) {
  return {.judgement = judgement, .comparison = protocol::BenchComparison{.ratio = ratio, .ratio_low = ratio - 0.01, .ratio_high = ratio + 0.01, .pairs = 60}};
}

TEST(BisectViews, AStepIsALine) {
  // Given judgements, when they are shown, then each says what it is, with the change and the interval where there is one, and why where nothing is known.
  EXPECT_EQ(step_text("0123abc faster loops", judged(Judgement::kBad, 1.12)), "0123abc faster loops: bad, +12.0 % (+11.0 % to +13.0 %)");
  EXPECT_EQ(step_text("0123abc x", judged(Judgement::kGood, 1)), "0123abc x: good, +0.0 % (-1.0 % to +1.0 %)");
  EXPECT_EQ(step_text("0123abc x", {.message = "make ended with exit code 2: no rule"}), "0123abc x: not known; make ended with exit code 2: no rule");
}

TEST(BisectViews, WhatWasFoundIsAnAnswer) {
  // Given a first bad commit, some that are left, or a BAD that is not slower, when that is shown, then the first is named with its subject, the second are listed, and of the third there is nothing; JSON has all steps.
  bisect::ScratchGit scratch("views");
  const std::vector<std::string> ids = scratch.commits({"1", "2", "3"});
  const bisect::GitRepository repository = scratch.repository();
  const bisect::Found found{.steps = {{ids[2], judged(Judgement::kBad, 1.1)}, {ids[1], {.message = "why"}}}, .first_bad = ids[2]};
  EXPECT_EQ(found_text(found, repository), cat("first bad commit: ", ids[2], "\n", repository.title(ids[2]), "\n"));
  const auto json = found_json(found, repository);
  EXPECT_EQ(json["first_bad"], ids[2]);
  ASSERT_EQ(json["steps"].size(), 2u);
  EXPECT_EQ(json["steps"][0]["judgement"], "bad");
  EXPECT_EQ(json["steps"][1]["message"], "why");
  EXPECT_FALSE(json["steps"][1].contains("comparison"));
  const std::string left = found_text({.left = {ids[2], ids[1]}}, repository);
  EXPECT_NE(left.find("one of these"), std::string::npos);
  EXPECT_NE(left.find("commit 2\n"), std::string::npos);
  EXPECT_EQ(found_text({}, repository), "");
  EXPECT_EQ(found_json({}, repository)["first_bad"], nullptr);
}

}  // namespace
}  // namespace hone::cli
