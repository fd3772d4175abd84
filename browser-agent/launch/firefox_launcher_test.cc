// With a real Firefox on a real virtual display.
#include <utility>

#include "browser-agent/launch/browser_launcher.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "browser-agent/launch/watched_launch.h"

namespace hone::launch {
namespace {

using namespace std::chrono_literals;

std::string read_file(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// The processes that this one has started and that run `program`.
std::vector<pid_t> children_running(const std::string& program) {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string folder = entry.path().string(), status = read_file(folder + "/status");
    if (read_file(folder + "/comm") == program + "\n" &&
        status.find(cat("\nPPid:\t", getpid(), "\n")) != std::string::npos)
      found.push_back(std::atoi(entry.path().filename().c_str()));
  }
  return found;
}

class FirefoxLauncherTest : public testing::Test, protected WatchedLaunch {
 protected:
  void SetUp() override {
    const Status ready = set_up("firefox", testing::TempDir());
    if (!ready.ok()) GTEST_SKIP() << ready.error().message;
    const auto display = find_virtual_display(search_path());
    if (!display.ok()) GTEST_SKIP() << display.error().message;
    options_.firefox = true;
    options_.display_server = *display;
  }
};

// Given a page on a server, when the launcher starts, then the page runs in Firefox, on a display that the launcher started, with a profile of
// its own, and the command line does not show the token; when it stops, browser, display and profile are gone.
TEST_F(FirefoxLauncherTest, RunsThePageAndCleansUp) {
  launcher_ = make_launcher();
  ASSERT_TRUE(launcher_->start().ok());
  ASSERT_TRUE(run_until_connected());
  EXPECT_NE(last_beat_.find("token=secret&target=webgpu&launch=launch%201&flags=--headless"), std::string::npos)
      << last_beat_;
  const std::string process = cat("/proc/", launcher_->pid()), command_line = read_file(process + "/cmdline");
  EXPECT_NE(command_line.find(options_.temp_dir), std::string::npos) << command_line;
  EXPECT_EQ(command_line.find("secret"), std::string::npos) << command_line;
  const std::vector<pid_t> displays = children_running("Xvfb");
  ASSERT_EQ(displays.size(), 1u);
  EXPECT_NE(read_file(process + "/environ").find(std::string("DISPLAY=:")), std::string::npos);
  const GroupWatch browser(launcher_->pid()), display(displays[0]);
  EXPECT_GT(browser.size(), 2u);
  launcher_->stop();
  EXPECT_TRUE(browser.all_end());
  EXPECT_TRUE(display.all_end());
  EXPECT_TRUE(std::filesystem::is_empty(options_.temp_dir));
}

// Given a connected agent, when Firefox is killed, then its display ends, and another Firefox on another one is connected.
TEST_F(FirefoxLauncherTest, ReplacesAKilledBrowser) {
  launcher_ = make_launcher();
  ASSERT_TRUE(launcher_->start().ok());
  ASSERT_TRUE(run_until_connected());
  const pid_t killed = launcher_->pid();
  const std::vector<pid_t> displays = children_running("Xvfb");
  ASSERT_EQ(displays.size(), 1u);
  kill(killed, SIGKILL);
  ASSERT_TRUE(run_until([&] { return launcher_->pid() != killed && launcher_->state() == BrowserState::kConnected; }));
  const std::vector<pid_t> displays_now = children_running("Xvfb");
  ASSERT_EQ(displays_now.size(), 1u);
  EXPECT_NE(displays_now[0], displays[0]);
  launcher_->stop();
  EXPECT_TRUE(children_running("Xvfb").empty());
}

// Given a connected agent, when its display is killed, then the browser is replaced, and the reason is told.
TEST_F(FirefoxLauncherTest, ReplacesABrowserWithoutDisplay) {
  launcher_ = make_launcher();
  ASSERT_TRUE(launcher_->start().ok());
  ASSERT_TRUE(run_until_connected());
  const std::vector<pid_t> displays = children_running("Xvfb");
  ASSERT_EQ(displays.size(), 1u);
  kill(displays[0], SIGKILL);
  ASSERT_TRUE(run_until([&] { return launcher_->state() == BrowserState::kRestarting; }));
  EXPECT_NE(messages_.back().find("ended by itself"), std::string::npos) << messages_.back();
  ASSERT_TRUE(run_until([&] { return launcher_->state() == BrowserState::kConnected; }));
  launcher_->stop();
}

// Given a display that never comes, when started, then it is tried failures_max times and then given up with the reason.
TEST_F(FirefoxLauncherTest, GivesUpOnADisplayThatNeverComes) {
  options_.display_server = "/bin/false";
  options_.limits.backoff_first = 1ms;
  options_.limits.failures_max = 2;
  launcher_ = make_launcher();
  ASSERT_TRUE(launcher_->start().ok());
  ASSERT_TRUE(run_until([this] { return launcher_->state() == BrowserState::kFailed; }));
  EXPECT_NE(messages_.back().find("the browser's display ended"), std::string::npos) << messages_.back();
  EXPECT_TRUE(std::filesystem::is_empty(options_.temp_dir));
}

// Given no display to start, when the launcher starts, then Firefox runs the page all the same.
TEST_F(FirefoxLauncherTest, RunsWithoutADisplayToo) {
  options_.display_server = "";
  options_.target = "wasm";
  launcher_ = make_launcher();
  ASSERT_TRUE(launcher_->start().ok());
  ASSERT_TRUE(run_until_connected());
  EXPECT_NE(last_beat_.find("target=wasm"), std::string::npos) << last_beat_;
  EXPECT_TRUE(children_running("Xvfb").empty());
  launcher_->stop();
}

// Given a launcher in a process of its own, when that process is killed with no chance to clean up, then its browser and display end too.
TEST_F(FirefoxLauncherTest, EndsWithItsParent) {
  int report[2];
  ASSERT_EQ(pipe(report), 0);
  const pid_t parent = fork();
  if (parent == 0) {
    asio::io_context io;
    BrowserLauncher launcher(io, options_, nullptr);
    if (!launcher.start().ok()) _exit(1);
    while (launcher.pid() == 0) io.run_one();
    const pid_t children[] = {launcher.pid(), children_running("Xvfb").at(0)};
    if (write(report[1], children, sizeof children) != sizeof children) _exit(1);
    pause();
    _exit(0);
  }
  pid_t children[2] = {};
  ASSERT_EQ(read(report[0], children, sizeof children), static_cast<ssize_t>(sizeof children));
  ASSERT_TRUE(run_until([this] { return !last_beat_.empty(); }));
  const GroupWatch browser(children[0]), display(children[1]);
  EXPECT_GT(browser.size(), 2u);
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  EXPECT_TRUE(browser.all_end());
  EXPECT_TRUE(display.all_end());
}

}  // namespace
}  // namespace hone::launch
