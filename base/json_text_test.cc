#include "base/json_text.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

std::string nested(size_t depth, const std::string& open, const std::string& close) {
  std::string text;
  for (size_t i = 0; i < depth; ++i) text += open;
  text += "1";
  for (size_t i = 0; i < depth; ++i) text += close;
  return text;
}

TEST(JsonText, RefusesWhatIsNestedTooDeep) {
  // Given lists and objects within each other, when they are as deep as the limit, then they are read; when deeper, by one level or by
  // a hundred thousand, whole or cut off, then they are refused with a short sentence.
  for (const auto& [open, close] : {std::pair("[", "]"), std::pair("{\"a\":", "}")}) {
    EXPECT_TRUE(parse_json(nested(64, open, close)).ok());
    EXPECT_FALSE(parse_json(nested(65, open, close)).ok());
    const auto deep = parse_json(nested(100'000, open, close));
    ASSERT_FALSE(deep.ok());
    EXPECT_EQ(deep.error().code, ErrorCode::kParseError);
    EXPECT_EQ(deep.error().message, "it is nested 100000 levels deep, more than the limit of 64");
    EXPECT_FALSE(parse_json(nested(100'000, open, "")).ok());
  }
}

TEST(JsonText, BracketsInStringsAreNoDepth) {
  // Given strings full of brackets, quotes and backslashes, when they are read, then they count as no level, and what follows still does.
  const std::string brackets(1000, '[');
  const auto read = parse_json("[\"" + brackets + "\\\"" + brackets + "\\\\\",2]");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.value()[1], 2);
  EXPECT_FALSE(parse_json("[\"\\\\\"," + nested(64, "[", "]") + "]").ok());
}

TEST(JsonText, SaysWhereItIsNoJson) {
  // Given texts that are no JSON, hold a number beyond all doubles, or are too long, when they are read, then one short sentence says so.
  EXPECT_EQ(parse_json("{\"a\": tru}").error().message, "it is not JSON from byte 10 on");
  EXPECT_FALSE(parse_json("").ok());
  EXPECT_FALSE(parse_json("\"\xff\"").ok());
  EXPECT_LT(parse_json(std::string(1 << 20, 'x')).error().message.size(), 100u);
  EXPECT_NE(parse_json("1e999").error().message.find("no double"), std::string::npos);
  EXPECT_FALSE(parse_json("[1,2]", {.bytes_max = 4}).ok());
  EXPECT_TRUE(parse_json("[1,2]", {.bytes_max = 5}).ok());
}

TEST(JsonText, QuotesShortly) {
  // Given values of any size, when they are quoted, then small ones stand whole, others are cut or named, and no byte of it acts on a terminal.
  EXPECT_EQ(json_excerpt(1.5), "1.5");
  EXPECT_EQ(json_excerpt("a\x1b[2J\xff"), "\"a\\u001b[2J\\ufffd\"");
  EXPECT_EQ(json_excerpt(nlohmann::json::array({1, 2})), "a list of 2 items");
  EXPECT_EQ(json_excerpt({{"a", 1}}), "an object of 1 fields");
  const std::string cut = json_excerpt(std::string(80'000, 'x'));
  EXPECT_LT(cut.size(), 250u);
  EXPECT_NE(cut.find("79800 bytes more"), std::string::npos);
}

}  // namespace
}  // namespace hone
