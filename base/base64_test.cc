#include "base/base64.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

// The vectors of RFC 4648, section 10.
TEST(Base64, GivenNoneToSixBytesWhenWrittenThenTheDigitsAreThoseOfTheStandard) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foob"), "Zm9vYg==");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
}

TEST(Base64, GivenBytesAbove127WhenWrittenThenNoSignGetsInTheWay) { EXPECT_EQ(base64("\xff\x80\xfe"), "/4D+"); }

}  // namespace
}  // namespace hone
