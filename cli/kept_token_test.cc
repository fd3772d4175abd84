#include "cli/kept_token.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/cat.h"

namespace hone::cli {
namespace {

class KeptToken : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  const std::string folder_ = cat(testing::TempDir(), "/hone_kept_token", getpid());
  const std::string path_ = folder_ + "/hone.db.token";
};

TEST_F(KeptToken, IsTheSameEachTimeAndItsOwnersAlone) {
  // Given a place without a token, when it is asked for twice, then it is made once, 32 digits in a file of mode 0600, whatever the umask; another place has
  // another.
  const mode_t before = umask(0);
  const std::string token = kept_token(path_).value();
  umask(before);
  EXPECT_EQ(token.size(), 32u);
  EXPECT_EQ(kept_token(path_).value(), token);
  struct stat file {};
  ASSERT_EQ(stat(path_.c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777, 0600u);
  EXPECT_NE(kept_token(folder_ + "/other.token").value(), token);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator()), 2) << "no draft is left";
}

TEST_F(KeptToken, WhatOthersCouldKnowIsReplaced) {
  // Given a file that others may read, one that is cut off, one that is no token, and a link to a good one, when the token is asked for, then each is replaced by a new
  // one of mode 0600.
  const std::string good = kept_token(folder_ + "/good").value();
  const auto replaced = [&] {
    const std::string token = kept_token(path_).value();
    struct stat file {};
    EXPECT_EQ(lstat(path_.c_str(), &file), 0);
    EXPECT_TRUE(S_ISREG(file.st_mode));
    EXPECT_EQ(file.st_mode & 0777, 0600u);
    return token.size() == 32 && token != good;
  };
  std::filesystem::copy_file(folder_ + "/good", path_);
  chmod(path_.c_str(), 0640);
  EXPECT_TRUE(replaced());
  for (const std::string& text : std::vector<std::string>{"", "0123", std::string(32, 'G'), std::string(100, ' ')}) {
    std::ofstream(path_, std::ios::trunc) << text;
    EXPECT_TRUE(replaced()) << text;
  }
  std::filesystem::remove(path_);
  std::filesystem::create_symlink(folder_ + "/good", path_);
  EXPECT_TRUE(replaced());
  EXPECT_EQ(kept_token(folder_ + "/good").value(), good) << "what the link led to is untouched";
}

TEST_F(KeptToken, APlaceThatCannotBeWrittenIsNamed) {
  // Given a folder that is not there, and a folder in the token's place, when the token is asked for, then it fails with the path and what to do.
  std::filesystem::create_directory(path_);
  for (const std::string& path : {folder_ + "/none/hone.db.token", path_}) {
    const auto token = kept_token(path);
    ASSERT_FALSE(token.ok());
    EXPECT_EQ(token.error().code, ErrorCode::kIoError);
    EXPECT_NE(token.error().message.find(path), std::string::npos);
    EXPECT_NE(token.error().message.find("remove what is in the way"), std::string::npos);
  }
}

}  // namespace
}  // namespace hone::cli
