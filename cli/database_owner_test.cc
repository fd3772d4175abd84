#include "cli/database_owner.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "base/cat.h"

namespace hone::cli {
namespace {

class DatabaseOwnerTest : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  const std::string folder_ = cat(testing::TempDir(), "/database_owner_", getpid());
  const std::string db_ = folder_ + "/farm.db";
};

TEST_F(DatabaseOwnerTest, ASecondOneIsToldWhoHasIt) {
  // Given an owned database, when another wants it by the same path, another spelling, or a link, then it is told who has it and what to do;
  // another database is free, and so is this one when its owner has gone.
  std::filesystem::create_symlink(db_, folder_ + "/link.db");
  {
    auto first = DatabaseOwner::take(db_, "hone up");
    ASSERT_TRUE(first.ok()) << first.error().message;
    first->tell_port(9190);
    for (const std::string& path : {db_, folder_ + "/./farm.db", folder_ + "/link.db"}) {
      const auto second = DatabaseOwner::take(path, "hone tune");
      ASSERT_FALSE(second.ok()) << path;
      EXPECT_EQ(second.error().code, ErrorCode::kBusy);
      EXPECT_EQ(second.error().message,
                cat("the database ", path, " is in use by hone up, process ", getpid(),
                    ", port 9190; use that service with --tracker URL, or another database with --db"));
    }
    EXPECT_TRUE(DatabaseOwner::take(folder_ + "/other.db", "hone tune").ok());
  }
  EXPECT_TRUE(DatabaseOwner::take(folder_ + "/link.db", "hone tune").ok());
}

TEST_F(DatabaseOwnerTest, ALinkToNothingLeadsToTheSameDatabase) {
  // Given a link to a database that is not there yet, when it is owned through the link, then it is owned.
  std::filesystem::create_symlink(db_, folder_ + "/link.db");
  const auto first = DatabaseOwner::take(folder_ + "/link.db", "hone up");
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(DatabaseOwner::take(db_, "hone tune").error().code, ErrorCode::kBusy);
  struct stat about {};
  ASSERT_EQ(stat((db_ + ".owner").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0600u);
}

TEST_F(DatabaseOwnerTest, AKilledOwnerOwnsNothing) {
  // Given a process that owns the database, when it is killed, then the next one has it at once, without any file being removed.
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    auto owner = DatabaseOwner::take(db_, "hone up");
    (void)!write(ready[1], owner.ok() ? "y" : "n", 1);
    pause();
    _exit(0);
  }
  char said = 0;
  ASSERT_EQ(read(ready[0], &said, 1), 1);
  EXPECT_EQ(said, 'y');
  EXPECT_EQ(DatabaseOwner::take(db_, "hone tune").error().code, ErrorCode::kBusy);
  kill(child, SIGKILL);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(DatabaseOwner::take(db_, "hone tune").ok());
  close(ready[0]);
  close(ready[1]);
}

TEST_F(DatabaseOwnerTest, AFolderThatIsNotThere) {
  // Given a path into a folder that is not there, when it is taken, then io_error names it.
  const auto nowhere = DatabaseOwner::take(folder_ + "/none/farm.db", "hone up");
  ASSERT_FALSE(nowhere.ok());
  EXPECT_EQ(nowhere.error().code, ErrorCode::kIoError);
}

TEST_F(DatabaseOwnerTest, AFolderIsNoDatabase) {
  // Given a folder in the place of a database, when it is taken, then it is named, and no file is left beside it.
  const auto folder = DatabaseOwner::take(folder_, "hone tune");
  ASSERT_FALSE(folder.ok());
  EXPECT_EQ(folder.error().message, cat(folder_, " is a folder, expected a database; give a file in it"));
  EXPECT_FALSE(std::filesystem::exists(folder_ + ".owner"));
}

}  // namespace
}  // namespace hone::cli
