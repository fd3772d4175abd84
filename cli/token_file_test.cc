#include "cli/token_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/cat.h"
#include "cli/find_service.h"

namespace hone::cli {
namespace {

const std::string kToken = "00112233445566778899aabbccddeeff";
const std::string kOther = "ffeeddccbbaa99887766554433221100";

class TokenFile : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  const std::string folder_ = cat(testing::TempDir(), "/hone_token_file", getpid());
};

TEST_F(TokenFile, HoldsATokenForItsOwner) {
  // Given a token, when it is written over a file that others may read, then it is read again, and the file is its owner's alone; white space around it is no part of it.
  const std::string path = folder_ + "/ann.token";
  std::ofstream(path) << "earlier";
  chmod(path.c_str(), 0666);
  ASSERT_TRUE(write_token_file(path, kToken, "the token").ok());
  EXPECT_EQ(read_token_file(path).value(), kToken);
  struct stat file {};
  ASSERT_EQ(stat(path.c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777, 0600u);
  std::ofstream(path) << kToken << " \r\n\n";
  EXPECT_EQ(read_token_file(path).value(), kToken);
}

TEST_F(TokenFile, WhatIsNoTokenIsNamed) {
  // Given a file that is not there, a folder, an empty file, one with another text, and one that does not end, when they are read, then each is named and said what was expected.
  EXPECT_EQ(read_token_file(folder_ + "/none").error().code, ErrorCode::kNotFound);
  std::ofstream(folder_ + "/empty");
  std::ofstream(folder_ + "/url") << "http://127.0.0.1:9190/agent/#token=" << kToken;
  std::ofstream(folder_ + "/long") << std::string(1 << 20, 'a');
  for (const std::string& path : {folder_, folder_ + "/empty", folder_ + "/url", folder_ + "/long", std::string("/dev/zero")}) {
    const auto token = read_token_file(path);
    ASSERT_FALSE(token.ok()) << path;
    EXPECT_NE(token.error().message.find(path), std::string::npos) << token.error().message;
  }
}

TEST_F(TokenFile, TheFileCountsThenTheUrlThenTheEnvironment) {
  // Given a URL with and without a token, a file and a variable, when the service is looked for, then the token is that of the file where one is named, else of the URL, else
  // of the variable; without any the URL is as it was.
  ASSERT_TRUE(write_token_file(folder_ + "/t", kToken, "").ok());
  const std::string plain = "http://lab:9190/agent/", given = plain + "#token=" + kOther + "&target=wasm";
  CommonOptions options;
  options.tracker = plain;
  EXPECT_EQ(find_service(options, {}).value().url, plain);
  options.environment_token = kToken;
  EXPECT_EQ(find_service(options, {}).value().url, plain + "#token=" + kToken);
  options.tracker = given;
  EXPECT_EQ(find_service(options, {}).value().url, given);
  options.tracker = plain + "#enroll=c";
  EXPECT_EQ(find_service(options, {}).value().url, plain + "#enroll=c");
  options.token_file = folder_ + "/t";
  options.tracker = given;
  EXPECT_EQ(find_service(options, {}).value().url, plain + "#token=" + kToken);
  options.tracker = "";
  EXPECT_EQ(find_service(options, {{given, "/tmp/a.db", 1}}).value().url, plain + "#token=" + kToken);
  options.token_file = folder_ + "/none";
  EXPECT_FALSE(find_service(options, {{given, "/tmp/a.db", 1}}).ok());
}

}  // namespace
}  // namespace hone::cli
