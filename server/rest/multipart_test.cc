#include "server/rest/multipart.h"

#include <gtest/gtest.h>

#include "base/cat.h"
#include "server/rest/limits.h"

namespace hone::server {
namespace {

constexpr const char* kType = "multipart/form-data; boundary=XyZ";

std::string part(const std::string& name, const std::string& content) { return cat("--XyZ\r\nContent-Disposition: form-data; name=\"", name, "\"\r\n\r\n", content, "\r\n"); }

TEST(Multipart, FindsAskAndPayload) {
  // Given bodies with both parts, with one, and with a payload that holds what looks like a boundary's beginning, when split, then the parts are byte for byte what was sent.
  const std::string odd = std::string("\r\n--Xy\0\xff\r\n--", 13);
  for (const std::string& payload : {std::string("bytes"), std::string(), odd, std::string(1 << 20, '-')}) {
    for (const char* end : {"--XyZ--", "--XyZ--\r\n", "--XyZ--  \r\n\r\n"}) {
      const std::string body = part("ask", "{\"a\":1}") + part("payload", payload) + end;
      const auto parts = split_parts(kType, body);
      ASSERT_TRUE(parts.ok()) << parts.error().message;
      EXPECT_EQ(parts->ask, "{\"a\":1}");
      EXPECT_EQ(parts->payload, payload);
    }
  }
  const std::string alone = part("ask", "{}") + "--XyZ--\r\n";
  const auto parts = split_parts("Multipart/Form-Data; charset=utf-8; Boundary=\"XyZ\"", alone);
  ASSERT_TRUE(parts.ok()) << parts.error().message;
  EXPECT_EQ(parts->ask, "{}");
  EXPECT_EQ(parts->payload, "");
}

TEST(Multipart, RefusesEverythingElse) {
  // Given bodies that are cut off, in another order, without a boundary or beyond a limit, when split, then each is refused in a sentence.
  const std::string ask = part("ask", "{}"), payload = part("payload", "x"), end = "--XyZ--\r\n";
  for (const std::string& body : {std::string(), std::string("x"), payload + ask + end, ask + ask + end, ask, ask + payload, ask + payload + "--XyZ-", payload + end, "\r\n" + ask + end,
                                  std::string("--XyZ\r\nname=\"ask\"\r\n\r\n"), part("ask", std::string(kRestAskBytesMax + 1, ' ')) + end,
                                  cat("--XyZ\r\nname=\"ask\"; x=", std::string(kPartHeadersBytesMax, 'h'), "\r\n\r\n{}\r\n", end)})
    EXPECT_FALSE(split_parts(kType, body).ok()) << body.substr(0, 200);
  for (const std::string& type : {std::string("multipart/form-data"), std::string("multipart/form-data; boundary="), "multipart/form-data; boundary=" + std::string(71, 'b'), std::string("multipart/form-data; boundary=\"")})
    EXPECT_FALSE(split_parts(type, ask + payload + end).ok()) << type;
}

TEST(Multipart, EachCutIsRefused) {
  // Given a good body, when it is cut anywhere before its last boundary is whole, then it is refused: nothing is read beyond it.
  const std::string body = part("ask", "{}") + part("payload", "model") + "--XyZ--";
  for (size_t size = 0; size < body.size(); ++size) {
    const std::unique_ptr<char[]> cut(new char[size]);  // so that a sanitizer sees what is read behind it
    std::copy_n(body.data(), size, cut.get());
    EXPECT_FALSE(split_parts(kType, {cut.get(), size}).ok()) << size;
  }
}

}  // namespace
}  // namespace hone::server
