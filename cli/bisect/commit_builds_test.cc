#include "cli/bisect/commit_builds.h"

#include <gtest/gtest.h>

#include "cli/bisect/scratch_git.h"

namespace hone::bisect {
namespace {

protocol::BenchResult result_of(double ratio, protocol::Answer regression) {
  return {.state = protocol::BenchState::kMeasured,
          .comparison = protocol::BenchComparison{.verdict = ratio > 1.005 ? protocol::Verdict::kSlower : protocol::Verdict::kSame, .ratio = ratio, .regression = regression}};
}

protocol::BenchReport report_with(std::vector<protocol::BenchResult> results) {
  protocol::BenchReport report{.fail_above = 0.03};
  for (auto& result : results) report.cases.push_back({.name = cat("case_", report.cases.size()), .results = {std::move(result)}});
  return report;
}

double number_in(const std::string& path) {
  double value = 0;
  std::ifstream(path) >> value;
  return value;
}

// The times that the builds say are what a comparison would find.
Result<protocol::BenchReport> compare_times(const std::string& old_build, const std::string& new_build) {
  const double ratio = number_in(new_build) / number_in(old_build);
  return report_with({result_of(ratio, ratio > 1.04 ? protocol::Answer::kYes : ratio > 1.02 ? protocol::Answer::kUnknown : protocol::Answer::kNo)});
}

Result<Found> bisected(const ScratchGit& scratch, const std::string& good, const std::string& bad, const CompareBuilds& compare = compare_times) {
  const GitRepository repository = scratch.repository();
  auto builds = CommitBuilds::start(
      {.repository = repository, .folder = scratch.trees(), .command = {"sh", "-c", "mkdir out && grep -v broken time > out/built"}, .build = "out/built", .compare = compare}, good);
  if (!builds.ok()) return builds.error();
  return find_first_bad(repository, good, bad, [&](const std::string& commit) { return builds->judge(commit); });
}

TEST(CommitBuilds, FindTheCommitThatIsSlower) {
  // Given commits whose builds take 100, then 112 from the sixth on, one of which cannot be built and one of which is on the border, when the first bad one is looked for, then it is the sixth; what was not known says why, and no
  // folder is left, in git or on the disk.
  ScratchGit scratch("builds");
  const std::vector<std::string> ids = scratch.commits({"100", "100.5", "broken", "103", "100", "112", "112.5", "111", "113"});
  const auto found = bisected(scratch, ids.front(), ids.back());
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found->first_bad, ids[5]);
  for (const Step& step : found->steps)
    EXPECT_EQ(step.judged.judgement == Judgement::kUnknown, !step.judged.message.empty());
  EXPECT_FALSE(scratch.has_trees_left());
}

TEST(CommitBuilds, ACommitWithoutABuildIsNotKnown) {
  // Given commits whose command fails, or leaves nothing, when they are judged, then each is not known and says why; a GOOD of that kind is an error.
  ScratchGit scratch("broken");
  const std::vector<std::string> ids = scratch.commits({"100", "broken", "110"});
  const GitRepository repository = scratch.repository();
  auto builds = CommitBuilds::start({.repository = repository, .folder = scratch.trees(), .command = {"sh", "-c", "grep -q broken time && { echo no such header; exit 2; } || grep 100 time > out; true"}, .build = "out", .compare = compare_times}, ids[0]);
  ASSERT_TRUE(builds.ok()) << builds.error().message;
  const auto failed = builds->judge(ids[1]);
  ASSERT_TRUE(failed.ok());
  EXPECT_EQ(failed->judgement, Judgement::kUnknown);
  EXPECT_NE(failed->message.find("sh ended with exit code 2: no such header"), std::string::npos) << failed->message;
  const auto good = bisected(scratch, ids[1], ids[2]);
  ASSERT_FALSE(good.ok());
  EXPECT_NE(good.error().message.find("GOOD, "), std::string::npos) << good.error().message;
  EXPECT_NE(good.error().message.find("has no build: "), std::string::npos) << good.error().message;
  const auto nothing = CommitBuilds::start({.repository = repository, .folder = scratch.trees(), .command = {"true"}, .build = "out", .compare = compare_times}, ids[2]);
  ASSERT_FALSE(nothing.ok());
  EXPECT_NE(nothing.error().message.find("the command ended well and left no out"), std::string::npos) << nothing.error().message;
}

TEST(CommitBuilds, ABuildLiesInTheCommitsFolder) {
  // Given paths of what is built, when they lead out of a commit's folder or name none, then they are refused; one inside is taken.
  ScratchGit scratch("paths");
  const std::string good = scratch.commit("100");
  const GitRepository repository = scratch.repository();
  const auto start = [&](const std::string& build) {
    return CommitBuilds::start({.repository = repository, .folder = scratch.trees(), .command = {"true"}, .build = build, .compare = compare_times}, good).ok();
  };
  for (const char* build : {"", ".", "..", "/tmp/model.onnx", "a/../../b", "../model.onnx"}) EXPECT_FALSE(start(build)) << build;
  EXPECT_TRUE(start("time")) << "what is checked in may be what is compared";
}

TEST(CommitBuilds, WhatNoCommitChangesEndsTheSearch) {
  // Given comparisons that find no device, are interrupted, or fail, when commits are judged, then the first two end the search, and the third is not known.
  ScratchGit scratch("ends");
  const std::vector<std::string> ids = scratch.commits({"100", "110"});
  for (const auto& [code, ends] : {std::pair(ErrorCode::kNoDevice, true), {ErrorCode::kCancelled, true}, {ErrorCode::kIoError, false}}) {
    const auto found = bisected(scratch, ids[0], ids[1], [code = code](const std::string&, const std::string&) -> Result<protocol::BenchReport> { return Error{code, "why"}; });
    EXPECT_EQ(!found.ok(), ends);
    EXPECT_EQ(found.ok() ? found->steps.front().judged.message : "", found.ok() ? "why" : "");
  }
}

TEST(JudgedOf, TheWorstResultDecides) {
  // Given reports, when a commit is judged by them, then one result that is bad makes it bad; else one that is not known, or was not measured, makes it that; else it is good. Without a share the verdicts decide.
  const auto bad = result_of(1.1, protocol::Answer::kYes), good = result_of(1, protocol::Answer::kNo), open = result_of(1.03, protocol::Answer::kUnknown);
  const protocol::BenchResult skipped{.state = protocol::BenchState::kSkipped, .message = "no device"};
  EXPECT_EQ(judged_of(report_with({good, bad, open, skipped})).judgement, Judgement::kBad);
  EXPECT_EQ(judged_of(report_with({good, open})).message, "case_1: the interval permits both");
  EXPECT_EQ(judged_of(report_with({good, skipped})).message, "case_1: no device");
  EXPECT_EQ(judged_of(report_with({good, good})).judgement, Judgement::kGood);
  EXPECT_EQ(judged_of(report_with({})).judgement, Judgement::kUnknown);
  protocol::BenchReport plain = report_with({good, open});
  plain.fail_above.reset();
  EXPECT_EQ(judged_of(plain).judgement, Judgement::kBad);
}

}  // namespace
}  // namespace hone::bisect
