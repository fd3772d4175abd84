// Logs that programs read.
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <sstream>
#include <vector>

#include "base/json_text.h"
#include "base/log.h"
#include "cli/console.h"

namespace hone::cli {
namespace {

// What is said on stderr meanwhile, a JSON object for each line.
std::vector<nlohmann::json> said(const std::function<void()>& say) {
  testing::internal::CaptureStderr();
  const auto before = spdlog::default_logger();
  set_up_logging({.json = true});
  say();
  spdlog::default_logger()->flush();
  set_up_logging({});
  spdlog::set_default_logger(before);
  std::istringstream text(testing::internal::GetCapturedStderr());
  std::vector<nlohmann::json> lines;
  for (std::string line; std::getline(text, line);) {
    const auto json = parse_json(line);
    EXPECT_TRUE(json.ok()) << line;
    lines.push_back(json.ok() ? *json : nlohmann::json());
  }
  return lines;
}

TEST(JsonLog, EachLineIsAnObjectWithItsFields) {
  // Given logs as JSON, when lines are logged, with fields and without, then each is one object with time, level, message and its own fields.
  const auto lines = said([] {
    log_warn("job tune-1 is cancelled", {{"job", "tune-1"}, {"agent", "agent-2"}});
    log_info("serving {}");
  });
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0]["level"], "warning");
  EXPECT_EQ(lines[0]["message"], "job tune-1 is cancelled");
  EXPECT_EQ(lines[0]["job"], "tune-1");
  EXPECT_EQ(lines[0]["agent"], "agent-2");
  EXPECT_EQ(lines[1]["level"], "info");
  EXPECT_EQ(lines[1]["message"], "serving {}");
  EXPECT_EQ(lines[1].size(), 3u) << lines[1];
  const std::string time = lines[0]["time"];
  EXPECT_EQ(time.size(), std::string("2026-11-28T03:29:07.123Z").size());
  EXPECT_EQ(time.back(), 'Z');
}

TEST(JsonLog, NamesOfOthersStayWithinTheirLine) {
  // Given names that end lines, forge objects, act on terminals or are no UTF-8, when they are logged, then each is in one object, in the field where
  // it was put.
  const std::string evil = "a\n{\"level\":\"error\"}\x1b[2J\u202e\x7f";
  const auto lines = said([&] {
    log_warn(evil, {{"agent", evil}});
    log_warn("\xff\xfe", {{"agent", "\xc3"}});
  });
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0]["level"], "warning");
  EXPECT_EQ(lines[0]["message"], evil);
  EXPECT_EQ(lines[0]["agent"], evil);
}

TEST(JsonLog, WhatEndsTheProgramIsALineToo) {
  // Given logs as JSON, when a verb fails, then its sentence is an object with the error's code; without them it is text for people.
  const auto lines = said([] { fail({ErrorCode::kAddressInUse, "port 9190 is in use"}); });
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0]["level"], "error");
  EXPECT_EQ(lines[0]["code"], "address_in_use");
  testing::internal::CaptureStderr();
  fail({ErrorCode::kAddressInUse, "port 9190 is in use"});
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "hone: port 9190 is in use\n");
}

}  // namespace
}  // namespace hone::cli
