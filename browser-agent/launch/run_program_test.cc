#include "browser-agent/launch/run_program.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace hone::launch {
namespace {

TEST(RunProgram, ReturnsWhatWasPrinted) {
  // Given programs that print and end well, end badly, and that are not there, when they are run, then the first one's text is returned, and the others fail with what they said, or why not.
  const auto told = run_program("/bin/sh", {"-c", "echo $GREETING; echo more >&2"}, {"GREETING=hello"});
  ASSERT_TRUE(told.ok()) << told.error().message;
  EXPECT_EQ(*told, "hello\nmore\n");
  const auto bad = run_program("/bin/sh", {"-c", "echo first; echo the reason; exit 3"});
  ASSERT_FALSE(bad.ok());
  EXPECT_NE(bad.error().message.find("exit code 3: the reason"), std::string::npos) << bad.error().message;
  EXPECT_FALSE(run_program("/no/such/program", {}).ok());
}

TEST(RunProgram, WithoutAPlaceForWhatItPrintsNothingRuns) {
  // Given a TMPDIR that is not there, when a program is to be run, then it fails with the place and what to do.
  const char* const before = std::getenv("TMPDIR");
  const std::string kept = before ? before : "";
  setenv("TMPDIR", "/no/such/folder", 1);
  const auto told = run_program("/bin/true", {});
  before ? setenv("TMPDIR", kept.c_str(), 1) : unsetenv("TMPDIR");
  ASSERT_FALSE(told.ok());
  EXPECT_NE(told.error().message.find("set TMPDIR"), std::string::npos) << told.error().message;
}

TEST(RunProgram, AnInterruptEndsIt) {
  // Given a program during which this process is interrupted or asked to end, when it runs, then it ends with the signal, as cancelled; one that runs afterwards ends well.
  for (const char* signal : {"INT", "TERM"}) {
    const auto told = run_program("/bin/sh", {"-c", std::string("kill -") + signal + " $PPID; sleep 1000"});
    ASSERT_FALSE(told.ok());
    EXPECT_EQ(told.error().code, ErrorCode::kCancelled);
  }
  EXPECT_TRUE(run_program("/bin/true", {}).ok());
}

}  // namespace
}  // namespace hone::launch
