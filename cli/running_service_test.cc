#include "cli/running_service.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/cat.h"
#include "cli/find_service.h"

namespace hone::cli {
namespace {

const std::string kUrl = "http://127.0.0.1:9190/agent/#token=00112233445566778899aabbccddeeff";

class Notes : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove_all(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  const std::string folder_ = cat(testing::TempDir(), "/hone_notes", getpid());
};

TEST_F(Notes, AServiceIsFoundWhileItLives) {
  // Given a service that published itself, when services are looked for, then it is found with its URL and database, in a file that only its
  // user can read; when it has ended, then there is none, and its note is gone.
  {
    auto note = RunningService::publish(folder_, {kUrl, "/tmp/a.db", 42});
    ASSERT_TRUE(note.ok()) << note.error().message;
    const auto found = running_services(folder_);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].url, kUrl);
    EXPECT_EQ(found[0].db, "/tmp/a.db");
    EXPECT_EQ(found[0].process, 42);
    struct stat file {};
    ASSERT_EQ(stat((folder_ + "/42.service").c_str(), &file), 0);
    EXPECT_EQ(file.st_mode & 0777, 0600u);
  }
  EXPECT_TRUE(running_services(folder_).empty());
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/42.service"));
}

TEST_F(Notes, ANoteThatNobodyHoldsIsOfTheDead) {
  // Given the note of a service that was killed, when services are looked for, then it is none of them and the note is removed.
  { ASSERT_TRUE(RunningService::publish(folder_, {kUrl, "/tmp/a.db", 42}).ok()); }
  std::ofstream(folder_ + "/7.service") << R"({"url":")" << kUrl << R"(","db":"/tmp/a.db","process":7})";
  chmod((folder_ + "/7.service").c_str(), 0600);
  EXPECT_TRUE(running_services(folder_).empty());
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/7.service"));
}

TEST_F(Notes, WhatOthersCouldHaveWrittenIsPassedOver) {
  // Given a folder that others may write to, when a service publishes itself, then it fails and says why; when services are looked for there, then
  // none is found, however its notes look.
  auto note = RunningService::publish(folder_, {kUrl, "/tmp/a.db", 42});
  ASSERT_TRUE(note.ok());
  chmod(folder_.c_str(), 0777);
  EXPECT_TRUE(running_services(folder_).empty());
  const auto again = RunningService::publish(folder_, {kUrl, "/tmp/a.db", 43});
  ASSERT_FALSE(again.ok());
  EXPECT_NE(again.error().message.find("you alone"), std::string::npos) << again.error().message;
  chmod(folder_.c_str(), 0700);
  EXPECT_EQ(running_services(folder_).size(), 1u);
  chmod((folder_ + "/42.service").c_str(), 0644);
  EXPECT_TRUE(running_services(folder_).empty()) << "others have read its token";
}

TEST_F(Notes, DamagedNotesAreNone) {
  // Given notes that are held and hold something else than a note, when services are looked for, then none is found and nothing ends.
  for (const std::string url : {"", "no url", "http://127.0.0.1:9190/agent/"}) {
    auto note = RunningService::publish(folder_, {url, "/tmp/a.db", 42});
    ASSERT_TRUE(note.ok());
    EXPECT_TRUE(running_services(folder_).empty()) << url;
  }
  auto deep = RunningService::publish(folder_, {kUrl, "/tmp/a.db", 42});
  ASSERT_TRUE(deep.ok());
  std::ofstream(folder_ + "/42.service") << std::string(10'000, '[');
  EXPECT_TRUE(running_services(folder_).empty());
  std::filesystem::create_directory(folder_ + "/1.service");
  std::filesystem::create_symlink("/etc/passwd", folder_ + "/2.service");
  EXPECT_EQ(mkfifo((folder_ + "/3.service").c_str(), 0600), 0);
  EXPECT_TRUE(running_services(folder_).empty());
}

ServiceNote of(const std::string& db, const std::string& port) {
  return {cat("http://127.0.0.1:", port, "/agent/#token=00112233445566778899aabbccddeeff"), db, 1};
}

TEST_F(Notes, AVerbTakesTheServiceOfItsDatabaseElseTheOnlyOne) {
  // Given services of this user, when a verb looks for one, then --tracker wins, then the one with its database, then the only one unless --db
  // names another; of several that would do it takes none and names them all.
  std::filesystem::create_directories(folder_);
  const std::string a = folder_ + "/a.db", b = folder_ + "/b.db";
  std::ofstream(a) << "a";
  std::ofstream(b) << "b";
  const std::vector<ServiceNote> both{of(a, "1"), of(b, "2")};
  CommonOptions options;
  EXPECT_EQ(find_service(options, {}).value().url, "");
  EXPECT_EQ(find_service(options, {both[0]}).value().url, both[0].url);
  const auto several = find_service(options, both);
  ASSERT_FALSE(several.ok());
  EXPECT_NE(several.error().message.find("--tracker http://127.0.0.1:1/agent/ "), std::string::npos);
  EXPECT_NE(several.error().message.find("--tracker http://127.0.0.1:2/agent/ "), std::string::npos);
  EXPECT_EQ(several.error().message.find("token="), std::string::npos) << "it need not be typed, so it need not be printed";
  options.db = folder_ + "/../" + std::filesystem::path(folder_).filename().string() + "/b.db";
  options.db_given = true;
  EXPECT_EQ(find_service(options, both).value().url, both[1].url);
  EXPECT_EQ(find_service(options, {both[0]}).value().url, "");
  options.tracker = "http://elsewhere";
  EXPECT_EQ(find_service(options, both).value().url, "http://elsewhere");
  options.tracker = "http://127.0.0.1:2/agent/";
  EXPECT_EQ(find_service(options, both).value().url, both[1].url) << "the token is that of the note";
  EXPECT_EQ(find_service(options, both).value().db, b);
  options.environment_token = "ffeeddccbbaa99887766554433221100";
  EXPECT_EQ(find_service(options, both).value().url, "http://127.0.0.1:2/agent/#token=ffeeddccbbaa99887766554433221100");
}

}  // namespace
}  // namespace hone::cli
