#include "browser-agent/launch/firefox_program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>
#include <sstream>

namespace hone::launch {
namespace {

// Given names of browsers, when they are asked for, then firefox and paths of programs whose names begin so are Firefox, and no others.
TEST(FirefoxProgram, IsToldByItsName) {
  EXPECT_TRUE(is_firefox("firefox"));
  EXPECT_TRUE(is_firefox("/usr/bin/firefox-esr"));
  EXPECT_FALSE(is_firefox("chromium"));
  EXPECT_FALSE(is_firefox("/opt/firefox/run"));
}

// Given the preferences, when read as Firefox reads them, then each line sets one, none twice, and those are there without which kernels would
// not run or be timed by a coarse clock.
TEST(FirefoxProgram, PreferencesAreWellFormed) {
  const std::string text = firefox_preferences();
  const std::regex line_form(R"re(user_pref\("([a-zA-Z0-9_.-]+)", (true|false|-?\d+|"[^"]*")\);)re");
  std::set<std::string> names;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    ASSERT_TRUE(std::regex_match(line, match, line_form)) << line;
    EXPECT_TRUE(names.insert(match[1]).second) << line;
  }
  for (const char* needed : {"\"dom.webgpu.enabled\", true", "\"gfx.webgpu.ignore-blocklist\", true",
                             "\"privacy.reduceTimerPrecision\", false", "\"dom.min_background_timeout_value\", 4"})
    EXPECT_NE(text.find(needed), std::string::npos) << needed;
}

// Given a display and none, when the environment is made, then it names the display, or leaves that to the one that is there.
TEST(FirefoxProgram, TheDisplayIsInTheEnvironment) {
  const auto with = firefox_environment(":7"), without = firefox_environment("");
  EXPECT_NE(std::find(with.begin(), with.end(), "DISPLAY=:7"), with.end());
  EXPECT_EQ(without.size() + 1, with.size());
}

}  // namespace
}  // namespace hone::launch
