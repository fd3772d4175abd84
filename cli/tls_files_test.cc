#include "cli/tls_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "cli/temp_folder.h"

namespace hone::cli {
namespace {

using namespace std::chrono_literals;
constexpr std::chrono::seconds kNow{1'800'000'000};

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class TlsFiles : public testing::Test {
 protected:
  TempFolder temp_ = TempFolder::make().value();
  const std::string folder_ = temp_.path() + "/hone/tls";
};

TEST_F(TlsFiles, AnAuthorityIsMadeOnceForItsOwnerAlone) {
  // Given an empty folder, when an authority is made, then four files of mode 0600 are there and the certificate is for this machine's names and the further one; when it is
  // made again, then it is refused and nothing has changed.
  const Status made = init_tls(folder_, {"lab.example"}, kNow);
  ASSERT_TRUE(made.ok()) << made.error().message;
  for (const char* name : {"/ca.crt", "/ca.key", "/server.crt", "/server.key"}) {
    struct stat file {};
    ASSERT_EQ(stat((folder_ + name).c_str(), &file), 0) << name;
    EXPECT_EQ(file.st_mode & 0777, 0600u) << name;
  }
  const auto tls = read_server_tls(folder_, kNow);
  ASSERT_TRUE(tls.ok()) << tls.error().message;
  const auto names = net::read_certificate(tls->certified.certificate)->names;
  for (const char* name : {"localhost", "127.0.0.1", "lab.example"}) EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
  const Status again = init_tls(folder_, {}, kNow);
  ASSERT_FALSE(again.ok());
  EXPECT_NE(again.error().message.find("hone tls renew"), std::string::npos) << again.error().message;
  EXPECT_EQ(bytes_of(folder_ + "/ca.crt"), tls->authority);
}

TEST_F(TlsFiles, RenewingKeepsTheAuthority) {
  // Given an authority, when the certificate is renewed after it has expired, then it is valid again, and the authority is the same.
  ASSERT_TRUE(init_tls(folder_, {}, kNow).ok());
  const std::string authority = bytes_of(folder_ + "/ca.crt");
  const auto later = kNow + 800 * 24h;
  const auto expired = read_server_tls(folder_, later);
  ASSERT_FALSE(expired.ok());
  EXPECT_EQ(expired.error().code, ErrorCode::kBadCertificate);
  EXPECT_NE(expired.error().message.find("hone tls renew"), std::string::npos) << expired.error().message;
  ASSERT_TRUE(renew_tls(folder_, {}, later).ok());
  EXPECT_TRUE(read_server_tls(folder_, later).ok());
  EXPECT_EQ(bytes_of(folder_ + "/ca.crt"), authority);
  EXPECT_EQ(renew_tls(folder_, {}, kNow + 4000 * 24h).error().code, ErrorCode::kBadCertificate);
}

TEST_F(TlsFiles, WhatIsMissingOrOfAnotherIsSaidWithItsFile) {
  // Given no authority, files that are missing, or a key of another certificate, when they are read, then each error names the file and what to do.
  EXPECT_EQ(read_server_tls(folder_, kNow).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(renew_tls(folder_, {}, kNow).error().code, ErrorCode::kNotFound);
  ASSERT_TRUE(init_tls(folder_, {}, kNow).ok());
  const auto mixed = read_given_tls(folder_ + "/server.crt", folder_ + "/ca.key", kNow);
  ASSERT_FALSE(mixed.ok());
  EXPECT_EQ(mixed.error().code, ErrorCode::kBadCertificate);
  EXPECT_NE(mixed.error().message.find("server.crt: the key is not that of the certificate"), std::string::npos) << mixed.error().message;
  EXPECT_EQ(read_given_tls(folder_ + "/none.crt", folder_ + "/ca.key", kNow).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(read_given_tls(folder_, folder_, kNow).error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(read_given_tls(folder_ + "/server.crt", folder_ + "/server.key", kNow).ok());
}

TEST_F(TlsFiles, AnAuthorityThatIsNoneIsRefused) {
  // Given files for --ca, when they hold an authority, a key, or are not there, then the first is taken, and the others are refused by name.
  ASSERT_TRUE(init_tls(folder_, {}, kNow).ok());
  EXPECT_TRUE(client_tls(folder_ + "/ca.crt").ok());
  const auto key = client_tls(folder_ + "/ca.key"), missing = client_tls(folder_ + "/none");
  ASSERT_FALSE(key.ok() || missing.ok());
  EXPECT_EQ(key.error().code, ErrorCode::kBadCertificate);
  EXPECT_NE(key.error().message.find("/ca.key"), std::string::npos) << key.error().message;
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace hone::cli
