#include "cli/bisect/git_repository.h"

#include <gtest/gtest.h>

#include "cli/bisect/scratch_git.h"

namespace hone::bisect {
namespace {

TEST(GitRepository, NamesMeanCommits) {
  // Given a repository, when names are looked up, then those of commits have its id, and what begins with '-', means none, or names another thing is refused with what was found.
  ScratchGit scratch("names");
  const std::vector<std::string> ids = scratch.commits({"1", "2"});
  scratch.run("git tag v1 HEAD~1");
  const GitRepository repository = scratch.repository();
  EXPECT_EQ(*repository.commit_of("v1"), ids[0]);
  EXPECT_EQ(*repository.commit_of("main"), ids[1]);
  EXPECT_EQ(*repository.commit_of(ids[0].substr(0, 10)), ids[0]);
  for (const char* name : {"", "--all", "-v1", "v2", "HEAD:time", "HEAD~7"}) {
    const auto commit = repository.commit_of(name);
    ASSERT_FALSE(commit.ok()) << name;
    EXPECT_EQ(commit.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(commit.error().message.find("expected a commit"), std::string::npos) << commit.error().message;
  }
  EXPECT_NE(repository.title(ids[1]).find(" commit 2"), std::string::npos);
  EXPECT_FALSE(GitRepository::open("/").ok());
}

TEST(GitRepository, ACommitIsCheckedOutBesideTheWorkingTree) {
  // Given a working tree with a change that is not committed, when an earlier commit is checked out, then its folder has that commit's file, the working tree its own, and the folder and git's note of it are gone with the object.
  ScratchGit scratch("trees");
  const std::vector<std::string> ids = scratch.commits({"1", "2"});
  scratch.run("echo mine > time");
  {
    const auto tree = scratch.repository().check_out(ids[0], scratch.trees() + "/a");
    ASSERT_TRUE(tree.ok()) << tree.error().message;
    EXPECT_EQ(*run_in_folder(tree->path(), {"cat", "time"}), "1");
    EXPECT_EQ(*run_in_folder((scratch.root / "work").string(), {"cat", "time"}), "mine\n");
    EXPECT_FALSE(scratch.repository().check_out(ids[1], tree->path()).ok());
    EXPECT_TRUE(std::filesystem::exists(tree->path() + "/time")) << "what is another's stays";
    EXPECT_FALSE(scratch.repository().check_out("0000000000000000000000000000000000000000", scratch.trees() + "/b").ok());
  }
  EXPECT_FALSE(scratch.has_trees_left());
}

TEST(GitRepository, ACommandRunsWhereAndAsItIsNamed) {
  // Given commands of the folder, of the PATH, with a variable before them, and with options of their own, when they run there, then each is what was meant; one that fails says how, with its last line.
  ScratchGit scratch("commands");
  scratch.run("printf '#!/bin/sh\\necho script $SPEED $1; exit ${2:-0}\\n' > build && chmod +x build");
  const std::string folder = (scratch.root / "work").string();
  EXPECT_EQ(*run_in_folder(folder, {"./build", "-j2"}), "script -j2\n");
  EXPECT_EQ(*run_in_folder(folder, {"SPEED=7", "sh", "./build"}), "script 7\n");
  const auto failed = run_in_folder(folder, {"./build", "x", "3"});
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().message, "./build ended with exit code 3: script x");
  EXPECT_FALSE(run_in_folder(folder, {"no_such_program"}).ok());
}

}  // namespace
}  // namespace hone::bisect
