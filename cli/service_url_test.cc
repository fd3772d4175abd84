#include "cli/service_url.h"

#include <gtest/gtest.h>

namespace hone::cli {
namespace {

TEST(ServiceUrl, TakesWhatHoneUpPrints) {
  // Given a URL as hone up prints it, when it is parsed, then host, port and token come out, whatever else the fragment holds.
  auto url = parse_service_url("http://127.0.0.1:9190/agent/#token=abc123&launch=x");
  ASSERT_TRUE(url.ok());
  EXPECT_EQ(url->host, "127.0.0.1");
  EXPECT_EQ(url->port, 9190);
  EXPECT_EQ(url->token, "abc123");
  EXPECT_EQ(url->code, "");
}

TEST(ServiceUrl, TakesWhatHoneEnrollPrints) {
  // Given a URL with a code, when it is parsed, then the code comes out and there is no token; what only looks like either is none.
  auto url = parse_service_url("http://127.0.0.1:9190/agent/#enroll=abc&target=wasm");
  ASSERT_TRUE(url.ok());
  EXPECT_EQ(url->code, "abc");
  EXPECT_EQ(url->token, "");
  EXPECT_TRUE(has_secret("http://h:1/#target=wasm&token=a"));
  EXPECT_FALSE(has_secret("http://h:1/#mytoken=a"));
  EXPECT_FALSE(has_secret("http://h:1/?token=a"));
  EXPECT_EQ(with_token("http://h:1/agent/#enroll=abc", "t"), "http://h:1/agent/#token=t");
}

TEST(ServiceUrl, HttpsHasItsPort) {
  // Given URLs of https with and without a port, when they are parsed, then they say so, and the port is there.
  const auto named = parse_service_url("https://lab.local:9190/agent/#token=a", "ca.crt"), usual = parse_service_url("https://lab.example/agent/#token=a");
  ASSERT_TRUE(named.ok() && usual.ok());
  EXPECT_TRUE(named->https && usual->https);
  EXPECT_EQ(named->port, 9190);
  EXPECT_EQ(named->ca_file, "ca.crt");
  EXPECT_EQ(usual->port, 443);
  EXPECT_FALSE(parse_service_url("http://h:1/#token=a")->https);
}

TEST(ServiceUrl, APublicUrlIsAnOriginAlone) {
  // Given public URLs, when they are parsed, then case, a slash and the default port go; what is more than an origin is refused.
  EXPECT_EQ(*parse_public_url("https://Lab.Example/"), "https://lab.example");
  EXPECT_EQ(*parse_public_url("https://lab.example:443"), "https://lab.example");
  EXPECT_EQ(*parse_public_url("http://lab.example:8080"), "http://lab.example:8080");
  for (const char* text : {"", "lab.example", "https://", "https://lab.example/hone", "https://a@b", "https://lab.example:0", "ftp://lab", "https://lab\r\nx"})
    EXPECT_FALSE(parse_public_url(text).ok()) << text;
}

TEST(ServiceUrl, ARefusalDoesNotRepeatTheToken) {
  // Given a URL that is no service's, with a token, when it is parsed, then what is printed does not have the token.
  const auto url = parse_service_url("ftp://127.0.0.1/agent/#token=secret");
  ASSERT_FALSE(url.ok());
  EXPECT_EQ(url.error().message.find("secret"), std::string::npos) << url.error().message;
}

TEST(ServiceUrl, SaysWhatIsMissing) {
  // Given URLs that lack a part, when they are parsed, then each error names it.
  const std::pair<const char*, const char*> cases[] = {{"127.0.0.1:9190", "http://"},
                                                       {"http://127.0.0.1/agent/#token=a", "port"},
                                                       {"http://127.0.0.1:x/agent/#token=a", "port"},
                                                       {"http://127.0.0.1:99999/agent/#token=a", "port"},
                                                       {"http://:9190/agent/#token=a", "host"},
                                                       {"http://127.0.0.1:9190/agent/", "token"},
                                                       {"http://127.0.0.1:9190/agent/#token=", "token"}};
  for (auto [text, missing] : cases) {
    auto url = parse_service_url(text);
    ASSERT_FALSE(url.ok()) << text;
    EXPECT_NE(url.error().message.find(missing), std::string::npos) << url.error().message;
  }
}

}  // namespace
}  // namespace hone::cli
