#include "browser-agent/launch/profile_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/cat.h"

namespace hone::launch {
namespace {

namespace fs = std::filesystem;

std::string own_temp_dir() {
  std::string pattern = testing::TempDir() + "/profile-XXXXXX";
  return mkdtemp(pattern.data());
}

// Given a profile with a start page, when it is looked at, then only its owner may read it and the page leads to the URL; when the
// object is gone, so is the folder.
TEST(ProfileFolder, IsPrivateAndGoesWithItsObject) {
  std::string path;
  {
    auto profile = ProfileFolder::make(own_temp_dir());
    ASSERT_TRUE(profile.ok());
    path = profile->path();
    struct stat info;
    ASSERT_EQ(stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 077, 0u);
    const auto page = profile->write_start_page("http://127.0.0.1:1/agent/#token=a&launch=\"b\"");
    ASSERT_TRUE(page.ok());
    std::stringstream text;
    text << std::ifstream(page->substr(7)).rdbuf();
    EXPECT_NE(text.str().find("url=http://127.0.0.1:1/agent/#token=a&amp;launch=&quot;b&quot;"), std::string::npos);
    const auto file = profile->write_start_url("http://127.0.0.1:1/agent/#token=a");
    ASSERT_TRUE(file.ok());
    std::stringstream line;
    line << std::ifstream(*file).rdbuf();
    EXPECT_EQ(line.str(), "http://127.0.0.1:1/agent/#token=a\n");
  }
  EXPECT_FALSE(fs::exists(path));
}

// Given a profile of a process that ended without cleaning up, when a new one is made, then the old one is removed; one of a living
// process stays.
TEST(ProfileFolder, RemovesWhatEndedProcessesLeft) {
  const std::string parent = own_temp_dir();
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  const std::string abandoned = cat(parent, "/hone-browser-", child, "-abcdef"),
                    kept = cat(parent, "/hone-browser-", getpid(), "-abcdef");
  fs::create_directories(abandoned);
  fs::create_directories(kept);
  const auto profile = ProfileFolder::make(parent);
  ASSERT_TRUE(profile.ok());
  EXPECT_FALSE(fs::exists(abandoned));
  EXPECT_TRUE(fs::exists(kept));
}

// Given no such parent folder, when a profile is made, then the error names the folder.
TEST(ProfileFolder, FailsWhereNothingCanBeWritten) {
  const auto profile = ProfileFolder::make("/nonexistent");
  ASSERT_FALSE(profile.ok());
  EXPECT_EQ(profile.error().code, ErrorCode::kIoError);
  EXPECT_NE(profile.error().message.find("/nonexistent"), std::string::npos);
}

}  // namespace
}  // namespace hone::launch
