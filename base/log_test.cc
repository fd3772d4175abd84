#include "base/log.h"

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <sstream>

namespace hone {
namespace {

class LogTest : public ::testing::Test {
 protected:
  LogTest() {
    auto logger = std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(text_));
    logger->set_pattern("%l %v");
    spdlog::set_default_logger(std::move(logger));
  }
  ~LogTest() override { spdlog::set_default_logger(before_); }

  std::shared_ptr<spdlog::logger> before_ = spdlog::default_logger();
  std::ostringstream text_;
};

// Given a line with braces, when it is logged, then it is printed as it is.
TEST_F(LogTest, PrintsALineAsItIs) {
  log_warn("found {}, expected {0}");
  EXPECT_EQ(text_.str(), "warning found {}, expected {0}\n");
}

// Given a least level, when lines of each level are logged, then those from it on are printed.
TEST_F(LogTest, PrintsFromALevelOn) {
  log_from(LogLevel::kWarn);
  log_debug("a");
  log_info("b");
  log_warn("c");
  log_error("d");
  EXPECT_EQ(text_.str(), "warning c\nerror d\n");
  log_from(LogLevel::kNone);
  log_error("e");
  EXPECT_EQ(text_.str(), "warning c\nerror d\n");
}

}  // namespace
}  // namespace hone
