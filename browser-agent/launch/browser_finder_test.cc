#include "browser-agent/launch/browser_finder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "base/cat.h"

namespace hone::launch {
namespace {

std::string folder_with_program(const std::string& name) {
  std::string pattern = testing::TempDir() + "/finder-XXXXXX";
  const std::string folder = mkdtemp(pattern.data());
  std::ofstream(cat(folder, '/', name)) << "#!/bin/sh\n";
  chmod(cat(folder, '/', name).c_str(), 0755);
  return folder;
}

// Given a search path whose second folder holds google-chrome, when chromium is asked for, then that program is found.
TEST(FindBrowser, TakesWhatIsThere) {
  const std::string folder = folder_with_program("google-chrome");
  const auto found = find_browser("chromium", cat("/nonexistent:", folder));
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(*found, cat(folder, "/google-chrome"));
}

// Given a search path with Node.js, when node is asked for, then that program is found.
TEST(FindBrowser, FindsNode) {
  const std::string folder = folder_with_program("node");
  const auto found = find_browser("node", folder);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(*found, cat(folder, "/node"));
}

// Given a search path with Firefox under Debian's name, when firefox is asked for, then that program is found.
TEST(FindBrowser, FindsFirefox) {
  const std::string folder = folder_with_program("firefox-esr");
  const auto found = find_browser("firefox", folder);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(*found, cat(folder, "/firefox-esr"));
}

// Given a path, when it is a program it is taken as it is, and when it is none the error names it.
TEST(FindBrowser, TakesAPathAsItIs) {
  const std::string program = folder_with_program("my_browser") + "/my_browser";
  EXPECT_EQ(*find_browser(program, ""), program);
  EXPECT_EQ(find_browser(program + "x", "").error().code, ErrorCode::kNotFound);
}

// Given an empty search path, when chromium is asked for, then the error says what to install; an unknown browser is unsupported.
TEST(FindBrowser, SaysWhatToDo) {
  const auto none = find_browser("chromium", "");
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, ErrorCode::kNotFound);
  EXPECT_NE(none.error().message.find("apt-get install"), std::string::npos);
  const auto no_node = find_browser("node", "");
  ASSERT_FALSE(no_node.ok());
  EXPECT_EQ(no_node.error().code, ErrorCode::kNotFound);
  EXPECT_NE(no_node.error().message.find("nodejs"), std::string::npos);
  const auto no_firefox = find_browser("firefox", "");
  ASSERT_FALSE(no_firefox.ok());
  EXPECT_NE(no_firefox.error().message.find("firefox-esr"), std::string::npos);
  const auto no_display = find_virtual_display("");
  ASSERT_FALSE(no_display.ok());
  EXPECT_NE(no_display.error().message.find("xvfb"), std::string::npos);
  EXPECT_EQ(find_browser("netscape", "").error().code, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace hone::launch
