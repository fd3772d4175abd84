#include "cli/bisect/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "cli/bisect/scratch_git.h"

namespace hone::bisect {
namespace {

// Judges by the place of a commit in a list: bad from `from` on, not known where it is skipped.
struct Line {
  std::vector<std::string> ids;
  size_t from;
  std::set<size_t> skipped;
  Result<Judged> operator()(const std::string& commit) const {
    const auto place = static_cast<size_t>(std::find(ids.begin(), ids.end(), commit) - ids.begin());
    if (skipped.count(place)) return Judged{.message = "it cannot be built"};
    return Judged{.judgement = place >= from ? Judgement::kBad : Judgement::kGood};
  }
};

TEST(FindFirstBad, InALogarithmOfTheCommits) {
  // Given seventeen commits, when any but the first is the first bad one, then it is found, with six comparisons at most, BAD's among them.
  ScratchGit scratch("line");
  std::vector<std::string> ids;
  for (int i = 0; i < 17; ++i) ids.push_back(scratch.commit(std::to_string(i)));
  for (size_t from = 1; from < ids.size(); from += 3) {
    const auto found = find_first_bad(scratch.repository(), ids.front(), ids.back(), Line{ids, from, {}});
    ASSERT_TRUE(found.ok()) << found.error().message;
    EXPECT_EQ(found->first_bad, ids[from]);
    EXPECT_LE(found->steps.size(), 6u);
    EXPECT_EQ(found->steps.front().commit, ids.back());
  }
}

TEST(FindFirstBad, WhatIsNotKnownIsLeftOut) {
  // Given commits that cannot be judged, when they lie away from the first bad one, then it is found all the same; when they lie before it, then they and it are left, and no other.
  ScratchGit scratch("skips");
  const std::vector<std::string> ids = scratch.commits({"0", "1", "2", "3", "4", "5", "6", "7"});
  EXPECT_EQ(find_first_bad(scratch.repository(), ids[0], ids[7], Line{ids, 6, {2, 3}})->first_bad, ids[6]);
  const auto found = find_first_bad(scratch.repository(), ids[0], ids[7], Line{ids, 5, {3, 4}});
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->first_bad, "");
  EXPECT_EQ(std::set<std::string>(found->left.begin(), found->left.end()), (std::set<std::string>{ids[3], ids[4], ids[5]}));
}

TEST(FindFirstBad, BadMustBeSlower) {
  // Given a BAD that is good, or of which it is not known, when the first bad commit is looked for, then BAD alone was judged, and nothing is found.
  ScratchGit scratch("ends");
  const std::vector<std::string> ids = scratch.commits({"0", "1", "2"});
  for (const auto& line : {Line{ids, 9, {}}, Line{ids, 1, {2}}}) {
    const auto found = find_first_bad(scratch.repository(), ids[0], ids[2], line);
    ASSERT_TRUE(found.ok());
    EXPECT_EQ(found->steps.size(), 1u);
    EXPECT_TRUE(found->first_bad.empty() && found->left.empty());
  }
}

TEST(FindFirstBad, BadDescendsFromGood) {
  // Given a GOOD that is BAD, comes after it, or lies on another branch, when the first bad commit is looked for, then that is the error, with what to give instead, and nothing is judged; neighbours need one judgement.
  ScratchGit scratch("branches");
  const std::vector<std::string> ids = scratch.commits({"0", "1"});
  scratch.run("git checkout --quiet -b side HEAD~1");
  const std::string side = scratch.commit("9");
  int judged = 0;
  const auto judge = [&](const std::string&) -> Result<Judged> { return ++judged, Judged{.judgement = Judgement::kBad}; };
  const auto message = [&](const std::string& good, const std::string& bad) {
    const auto found = find_first_bad(scratch.repository(), good, bad, judge);
    return found.ok() ? "" : found.error().message;
  };
  EXPECT_NE(message(ids[1], ids[1]).find("are the same commit"), std::string::npos);
  EXPECT_NE(message(ids[1], ids[0]).find("give an earlier commit as GOOD"), std::string::npos);
  EXPECT_NE(message(side, ids[1]).find(cat("give ", ids[0], " as GOOD, where they part")), std::string::npos);
  EXPECT_EQ(judged, 0);
  EXPECT_EQ(message(ids[0], ids[1]), "");
  EXPECT_EQ(judged, 1);
}

TEST(FindFirstBad, AMergeIsSearchedOnBothSides) {
  // Given a branch whose second commit is slower, merged into a line that is not, when the first bad commit is looked for, then it is the branch's.
  ScratchGit scratch("merge");
  const std::string base = scratch.commit("1");
  scratch.run("git checkout --quiet -b side");
  std::vector<std::string> side;
  for (int i = 0; i < 3; ++i) scratch.run(cat("echo ", i, " > side.txt")), side.push_back(scratch.commit_what_is_there());
  scratch.run("git checkout --quiet main");
  for (int i = 0; i < 4; ++i) scratch.run(cat("echo ", i, " > main.txt")), (void)scratch.commit_what_is_there();
  scratch.run("git -c user.name=t -c user.email=t@localhost -c commit.gpgsign=false merge --quiet --no-edit side");
  const GitRepository repository = scratch.repository();
  const auto judge = [&](const std::string& commit) -> Result<Judged> {
    return Judged{.judgement = repository.merge_base(side[1], commit) == side[1] ? Judgement::kBad : Judgement::kGood};
  };
  EXPECT_EQ(find_first_bad(repository, base, *repository.commit_of("HEAD"), judge)->first_bad, side[1]);
}

TEST(FindFirstBad, AnErrorEndsIt) {
  // Given a judgement that somebody interrupts, when the first bad commit is looked for, then that is the error.
  ScratchGit scratch("interrupt");
  const std::vector<std::string> ids = scratch.commits({"0", "1"});
  const auto found = find_first_bad(scratch.repository(), ids[0], ids[1], [](const std::string&) -> Result<Judged> { return Error{ErrorCode::kCancelled, "stopped"}; });
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code, ErrorCode::kCancelled);
}

}  // namespace
}  // namespace hone::bisect
