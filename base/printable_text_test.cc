#include "base/printable_text.h"

#include <gtest/gtest.h>

#include <utility>

namespace hone {
namespace {

TEST(PrintableText, WhatWouldActOnATerminalIsVisible) {
  // Given names with a window's title, a cleared screen, C1 controls, DEL, turned directions and broken UTF-8, when they are made printable,
  // then each such character stands as its number, and nothing else has changed.
  for (const auto& [text, expected] :
       {std::pair<std::string, std::string>{"\033]0;owned\007", "\\u001b]0;owned\\u0007"},
        {"a\033[2Jb", "a\\u001b[2Jb"},
        {"a\r\n\tb\x7f", "a\\u000d\\u000a\\u0009b\\u007f"},
        {"\xc2\x9b"
         "2J",
         "\\u009b2J"},
        {"\xe2\x80\xae"
         "exe\xe2\x81\xa6",
         "\\u202eexe\\u2066"},
        {"\xe2\x80\xa8", "\\u2028"},
        {"a\xff\xc0\x80"
         "b",
         "a\\xff\\xc0\\x80b"},
        {"\xed\xa0\x80", "\\xed\\xa0\\x80"},
        {"cut \xe2\x82", "cut \\xe2\\x82"},
        {std::string("nul\0", 4), "nul\\u0000"}})
    EXPECT_EQ(printable(text), expected);
}

TEST(PrintableText, NamesOfPeopleStay) {
  // Given words of several scripts, symbols and a backslash, when they are made printable, then they are the same.
  for (const char* text : {"", "matmul 512×512", "µs · naïve", "显卡", "עברית", "😀", "C:\\models"})
    EXPECT_EQ(printable(text), text);
}

TEST(PrintableText, LinesStayLines) {
  // Given a text of several lines with an escape, when it is printed as lines, then the lines and tabs stay and the escape is visible.
  EXPECT_EQ(printable_lines("a\n\tb\033[2J\r\n"), "a\n\tb\\u001b[2J\\u000d\n");
}

TEST(Shortened, KeepsWholeCharactersOfALongMessage) {
  // Given a message of 200,000 bytes of two each, and one that fits, when they are shortened, then the first is its beginning without half a
  // character, and the other is as it was.
  std::string many = "x";
  for (int i = 0; i < 100'000; ++i) many += "×";
  const std::string begun = shortened(many);
  EXPECT_LT(begun.size(), 1100u);
  EXPECT_EQ(printable(begun), begun);
  EXPECT_EQ(begun.substr(begun.size() - 4), " …");
  EXPECT_EQ(shortened("a sentence"), "a sentence");
}

}  // namespace
}  // namespace hone
