#include "base/net/certificate.h"

#include <gtest/gtest.h>

namespace hone::net {
namespace {

using namespace std::chrono_literals;
constexpr std::chrono::seconds kNow{1'800'000'000};
constexpr Validity kYear{kNow - 24h, kNow + 365 * 24h};

TEST(Certificate, AServersSaysItsNamesAndItsTime) {
  // Given a certificate for names and addresses, when it is read, then they are there, with its time, and its authority's certificate comes behind it.
  const auto authority = make_authority("hone on lab", {"lab"}, kYear);
  ASSERT_TRUE(authority.ok()) << authority.error().message;
  const std::vector<std::string> names{"lab", "lab.local", "192.168.1.5", "::1"};
  const auto server = make_server_certificate(*authority, names, kYear);
  ASSERT_TRUE(server.ok()) << server.error().message;
  const auto facts = read_certificate(server->certificate);
  ASSERT_TRUE(facts.ok());
  EXPECT_EQ(facts->names, names);
  EXPECT_EQ(facts->validity.from_unix, kYear.from_unix);
  EXPECT_EQ(facts->validity.until_unix, kYear.until_unix);
  EXPECT_EQ(facts->fingerprint.size(), 95u);
  EXPECT_NE(server->certificate.find(authority->certificate), std::string::npos);
  EXPECT_EQ(read_certificate(authority->certificate)->title, "hone on lab");
  EXPECT_TRUE(check_certified(*server, kNow).ok());
}

TEST(Certificate, WhatIsWrongIsSaid) {
  // Given certificates and keys that are damaged, of others, or out of their time, when they are checked, then each is bad_certificate with what is wrong.
  const Certified authority = *make_authority("a", {}, kYear), good = *make_server_certificate(authority, {"lab.local"}, kYear);
  const auto problem = [](const Certified& certified, std::chrono::seconds now) {
    const Status status = check_certified(certified, now);
    EXPECT_EQ(status.error().code, ErrorCode::kBadCertificate);
    return status.error().message;
  };
  EXPECT_NE(problem({.certificate = "x", .key = good.key}, kNow).find("no certificate"), std::string::npos);
  EXPECT_NE(problem({.certificate = good.certificate, .key = "x"}, kNow).find("no private key"), std::string::npos);
  EXPECT_NE(problem({.certificate = good.certificate, .key = authority.key}, kNow).find("not that of the certificate"), std::string::npos);
  EXPECT_EQ(problem(good, kNow + 400 * 24h), "the certificate expired on 2028-01-15");
  EXPECT_NE(problem(good, kNow - 48h).find("clock"), std::string::npos);
}

TEST(Certificate, NamesAreNamesAlone) {
  // Given names that would be more than a name to who reads extensions, when certificates are made, then they are refused.
  const Certified authority = *make_authority("a", {}, kYear);
  for (const char* name : {"", "a,DNS:b", "a b", ".local", "a\nb", "*.local"})
    EXPECT_EQ(make_server_certificate(authority, {name}, kYear).error().code, ErrorCode::kInvalidArgument) << name;
}

}  // namespace
}  // namespace hone::net
