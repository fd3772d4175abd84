#include "base/net/host_check.h"

#include <gtest/gtest.h>

namespace hone::net {
namespace {

TEST(HostCheck, NamesOfThisServiceAlone) {
  // Given a service on 127.0.0.1:9190, when requests come with its names, foreign names, another port or tricks of spelling, then only its own pass.
  const auto hosts = allowed_names({.address = "127.0.0.1", .port = 9190, .more = {"Lab.local"}});
  const auto passes = [&](std::string_view host, std::string_view origin = {}) { return check_host_and_origin(host, origin, hosts).ok(); };
  for (const char* host : {"127.0.0.1:9190", "localhost:9190", "LOCALHOST:9190", "[::1]:9190", "lab.local:9190"}) EXPECT_TRUE(passes(host)) << host;
  for (const char* host : {"", "127.0.0.1", "127.0.0.1:9191", "evil.example:9190", "127.0.0.1:9190.evil.example", "localhost:9190@evil.example", "10.0.0.1:9190"})
    EXPECT_FALSE(passes(host)) << host;
  EXPECT_TRUE(passes("127.0.0.1:9190", "http://127.0.0.1:9190"));
  EXPECT_TRUE(passes("localhost:9190", "http://127.0.0.1:9190"));
  EXPECT_TRUE(passes("lab.local:9190", "http://lab.local:9190"));
  for (const char* origin : {"null", "http://evil.example", "http://127.0.0.1:80", "http://127.0.0.1", "file://", "http://127.0.0.1:9190.evil.example",
                             "https://127.0.0.1:9190", "ws://127.0.0.1:9190"})
    EXPECT_FALSE(passes("127.0.0.1:9190", origin)) << origin;
}

TEST(HostCheck, BehindAProxyThePublicUrlCounts) {
  // Given a service on loopback with a public URL, when requests come with its host, with its origin, or with that host over another scheme, then the first two pass, and
  // so does what comes to the service itself.
  const auto names = allowed_names({.address = "127.0.0.1", .port = 9190, .public_origin = "https://Lab.Example"});
  for (const char* host : {"lab.example", "lab.example:443", "127.0.0.1:9190"}) {
    EXPECT_TRUE(check_host_and_origin(host, "", names).ok()) << host;
    EXPECT_TRUE(check_host_and_origin(host, "https://lab.example", names).ok()) << host;
    for (const char* origin : {"http://lab.example", "https://lab.example:444", "https://lab.example.evil"})
      EXPECT_FALSE(check_host_and_origin(host, origin, names).ok()) << host << " " << origin;
  }
  EXPECT_FALSE(check_host_and_origin("lab.example:80", "", names).ok());
}

TEST(HostCheck, WithTlsPagesOfHttpsAlone) {
  // Given a service with TLS, when pages of https and of http connect, then the former may.
  const auto names = allowed_names({.address = "127.0.0.1", .port = 443, .tls = true, .more = {"lab.local"}});
  EXPECT_TRUE(check_host_and_origin("lab.local", "https://lab.local", names).ok());
  EXPECT_TRUE(check_host_and_origin("lab.local:443", "", names).ok());
  EXPECT_FALSE(check_host_and_origin("lab.local", "http://lab.local", names).ok());
}

TEST(HostCheck, TheSentenceQuotesSafely) {
  // Given a Host with control characters and great length, when it is refused, then the sentence shows a short and printable piece of it.
  const auto refused = check_host_and_origin(std::string("a\r\nb") + std::string(500, 'x'), "", allowed_names({.address = "127.0.0.1", .port = 1}));
  EXPECT_EQ(refused.error().code, ErrorCode::kUnauthorized);
  EXPECT_EQ(refused.error().message.find('\n'), std::string::npos);
  EXPECT_LT(refused.error().message.size(), 300u);
}

TEST(HostCheck, AllAddressesMeansThisMachinesAddresses) {
  // Given a service on 0.0.0.0, when its hosts are listed, then loopback is among them and the port is theirs.
  const auto hosts = allowed_names({.address = "0.0.0.0", .port = 7});
  EXPECT_TRUE(check_host_and_origin("127.0.0.1:7", "", hosts).ok());
  EXPECT_FALSE(check_host_and_origin("203.0.113.9:7", "", hosts).ok());
}

TEST(HostCheck, PagesOfAnotherServiceMayConnectWhereTheyAreNamed) {
  // Given a service that names another one's page, when that page connects, then it may, under this service's own name alone; other pages may not.
  const AllowedNames allowed = allowed_names({.address = "127.0.0.1", .port = 9191, .page_origins = {"http://Tracker.lab:9190"}});
  EXPECT_TRUE(check_host_and_origin("127.0.0.1:9191", "http://tracker.lab:9190", allowed).ok());
  EXPECT_FALSE(check_host_and_origin("tracker.lab:9190", "http://tracker.lab:9190", allowed).ok());
  EXPECT_FALSE(check_host_and_origin("127.0.0.1:9191", "http://tracker.lab:9191", allowed).ok());
}

}  // namespace
}  // namespace hone::net
