// With a real Chromium.
#include <utility>

#include "browser-agent/launch/browser_launcher.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <fstream>

#include "browser-agent/launch/watched_launch.h"

namespace hone::launch {
namespace {

using namespace std::chrono_literals;

class BrowserLauncherTest : public testing::Test, protected WatchedLaunch {
 protected:
  void SetUp() override {
    const Status ready = set_up("chromium", testing::TempDir());
    if (!ready.ok()) GTEST_SKIP() << ready.error().message;
  }
};

// Given a page on a server, when the launcher starts, then the page runs in the browser, knows its launch and flags, and the command line
// does not show the token; when it stops, the process group and the profile are gone.
TEST_F(BrowserLauncherTest, RunsThePageAndCleansUp) {
  launcher_ = make_launcher();
  ASSERT_TRUE(launcher_->start().ok());
  ASSERT_TRUE(run_until_connected());
  EXPECT_NE(last_beat_.find("token=secret&target=webgpu&launch=launch%201&flags="), std::string::npos) << last_beat_;
  EXPECT_NE(last_beat_.find("--enable-unsafe-webgpu"), std::string::npos) << last_beat_;
  const pid_t pid = launcher_->pid();
  std::string command_line(1 << 16, '\0');
  FILE* file = fopen(cat("/proc/", pid, "/cmdline").c_str(), "r");
  ASSERT_NE(file, nullptr);
  command_line.resize(fread(command_line.data(), 1, command_line.size(), file));
  fclose(file);
  EXPECT_NE(command_line.find("--user-data-dir="), std::string::npos);
  EXPECT_EQ(command_line.find("secret"), std::string::npos);
  const GroupWatch group(pid);
  EXPECT_GT(group.size(), 2u);
  launcher_->stop();
  EXPECT_EQ(launcher_->state(), BrowserState::kStopped);
  EXPECT_TRUE(group.all_end());
  EXPECT_TRUE(std::filesystem::is_empty(options_.temp_dir));
}

// Given a launcher for WebGL, when its flags are asked for, then the browser gets a GPU or its software.
TEST_F(BrowserLauncherTest, WebGlNeedsAGpu) {
  options_.target = "webgl";
  launcher_ = make_launcher();
  const auto& flags = launcher_->flags();
  EXPECT_EQ(std::find(flags.begin(), flags.end(), "--disable-gpu"), flags.end());
  EXPECT_NE(std::find(flags.begin(), flags.end(), "--use-angle=swiftshader"), flags.end());
}

// Given a launcher for WebAssembly, when its flags and URL are asked for, then the page is told so and the browser gets no GPU.
TEST_F(BrowserLauncherTest, WebAssemblyNeedsNoGpu) {
  options_.target = "wasm";
  launcher_ = make_launcher();
  const auto& flags = launcher_->flags();
  EXPECT_NE(std::find(flags.begin(), flags.end(), "--disable-gpu"), flags.end());
  EXPECT_EQ(std::find(flags.begin(), flags.end(), "--enable-unsafe-webgpu"), flags.end());
  ASSERT_TRUE(launcher_->start().ok());
  ASSERT_TRUE(run_until_connected());
  EXPECT_NE(last_beat_.find("token=secret&target=wasm&launch="), std::string::npos) << last_beat_;
  launcher_->stop();
}

// Given a connected agent, when the browser is frozen, then it is stuck, and within 15 s another browser is connected.
TEST_F(BrowserLauncherTest, ReplacesAFrozenBrowser) {
  launcher_ = make_launcher();
  ASSERT_TRUE(launcher_->start().ok());
  ASSERT_TRUE(run_until_connected());
  const pid_t frozen = launcher_->pid();
  const GroupWatch group(frozen);
  kill(-frozen, SIGSTOP);
  ASSERT_TRUE(
      run_until([&] { return launcher_->pid() != frozen && launcher_->state() == BrowserState::kConnected; }, 15s));
  EXPECT_TRUE(group.all_end());
  launcher_->stop();
}

// Given a connected agent, when the browser is killed, then another one is connected within 15 s.
TEST_F(BrowserLauncherTest, ReplacesAKilledBrowser) {
  launcher_ = make_launcher();
  ASSERT_TRUE(launcher_->start().ok());
  ASSERT_TRUE(run_until_connected());
  const pid_t killed = launcher_->pid();
  kill(killed, SIGKILL);
  ASSERT_TRUE(
      run_until([&] { return launcher_->pid() != killed && launcher_->state() == BrowserState::kConnected; }, 15s));
  launcher_->stop();
}

// Given an agent whose socket was lost, when it does not come back in time, then the browser is replaced; when it does, it is kept.
TEST_F(BrowserLauncherTest, GivesALostAgentTimeToComeBack) {
  options_.limits.gone_grace = 1000ms;
  launcher_ = make_launcher();
  ASSERT_TRUE(launcher_->start().ok());
  ASSERT_TRUE(run_until_connected());
  const pid_t pid = launcher_->pid();
  launcher_->on_agent(AgentLiveness::kGone, "the socket closed");
  EXPECT_EQ(launcher_->state(), BrowserState::kStarting);
  ASSERT_TRUE(run_until_connected());  // the next beat
  EXPECT_EQ(launcher_->pid(), pid);
  server_.reset();  // no beats any more
  last_beat_.clear();
  silence_.cancel();
  launcher_->on_agent(AgentLiveness::kGone, "the socket closed");
  EXPECT_TRUE(run_until([&] { return launcher_->state() == BrowserState::kRestarting; }, 5s));
  EXPECT_NE(messages_.back().find("did not come back"), std::string::npos) << messages_.back();
  launcher_->stop();
}

// Given a program that ends at once, when started, then it is tried failures_max times and then given up with the reason.
TEST_F(BrowserLauncherTest, GivesUpOnABrowserThatNeverComes) {
  options_.browser = "/bin/false";
  options_.limits.backoff_first = 1ms;
  options_.limits.failures_max = 3;
  launcher_ = make_launcher();
  ASSERT_TRUE(launcher_->start().ok());
  ASSERT_TRUE(run_until([this] { return launcher_->state() == BrowserState::kFailed; }));
  EXPECT_NE(messages_.back().find("failed 3 times in a row"), std::string::npos) << messages_.back();
  EXPECT_NE(messages_.back().find("exit code 1"), std::string::npos) << messages_.back();
}

// Given variables for the browser, when it is started, then it has them beside this process's.
TEST_F(BrowserLauncherTest, TheBrowserHasItsVariables) {
  options_.browser = options_.temp_dir + "/says_variables";
  std::ofstream(options_.browser) << "#!/bin/sh\necho \"$HONE_OWN $HONE_OTHER\"\nexit 1\n";
  chmod(options_.browser.c_str(), 0755);
  setenv("HONE_OWN", "before", 1);
  setenv("HONE_OTHER", "kept", 1);
  options_.environment = {"HONE_OWN=given"};
  options_.limits.failures_max = 1;
  launcher_ = make_launcher();
  ASSERT_TRUE(launcher_->start().ok());
  ASSERT_TRUE(run_until([this] { return launcher_->state() == BrowserState::kFailed; }));
  EXPECT_NE(messages_.back().find("given kept"), std::string::npos) << messages_.back();
}

// Given no such program, when started, then start fails and names it.
TEST_F(BrowserLauncherTest, FailsAtOnceWithoutAProgram) {
  options_.browser = "/nonexistent/browser";
  launcher_ = make_launcher();
  const Status started = launcher_->start();
  ASSERT_FALSE(started.ok());
  EXPECT_NE(started.error().message.find("/nonexistent/browser"), std::string::npos);
}

// Given a launcher in a process of its own, when that process is killed with no chance to clean up, then its browser ends too.
TEST_F(BrowserLauncherTest, BrowserEndsWithItsParent) {
  int report[2];
  ASSERT_EQ(pipe(report), 0);
  const pid_t parent = fork();
  if (parent == 0) {
    asio::io_context io;
    BrowserLauncher launcher(io, options_, nullptr);
    const bool started = launcher.start().ok();
    const pid_t browser = launcher.pid();
    if (!started || write(report[1], &browser, sizeof browser) != sizeof browser) _exit(1);
    pause();
    _exit(0);
  }
  pid_t browser = 0;
  ASSERT_EQ(read(report[0], &browser, sizeof browser), static_cast<ssize_t>(sizeof browser));
  ASSERT_TRUE(run_until([this] { return !last_beat_.empty(); }));
  const GroupWatch group(browser);
  EXPECT_GT(group.size(), 2u);
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  EXPECT_TRUE(group.all_end());
  kill(-browser, SIGKILL);
}

}  // namespace
}  // namespace hone::launch
