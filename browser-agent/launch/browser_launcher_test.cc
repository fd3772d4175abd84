// With a real Chromium. The page beats against a small HTTP server; the test plays the tracker and tells the launcher what the beats say.
#include <utility>

#include "browser-agent/launch/browser_launcher.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio.hpp>
#include <filesystem>

#include "base/cat.h"
#include "browser-agent/launch/browser_finder.h"

namespace hone::launch {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using namespace std::chrono_literals;

constexpr char kPage[] =
    "<!doctype html><script>setInterval(() => fetch('/beat?' + location.hash.slice(1)).catch(() => {}), 100)</script>";

// Answers each request with the page and reports its target.
class BeatServer {
 public:
  BeatServer(asio::io_context& io, std::function<void(const std::string& target)> on_request)
      : acceptor_(io, tcp::endpoint(asio::ip::address_v4::loopback(), 0)), on_request_(std::move(on_request)) {
    accept();
  }
  std::string url() const { return cat("http://127.0.0.1:", acceptor_.local_endpoint().port(), "/#token=secret"); }

 private:
  void accept() {
    acceptor_.async_accept([this](const boost::system::error_code& error, tcp::socket socket) {
      if (error) return;
      serve(std::make_shared<tcp::socket>(std::move(socket)));
      accept();
    });
  }
  void serve(std::shared_ptr<tcp::socket> socket) {
    auto request = std::make_shared<std::string>();
    asio::async_read_until(
        *socket, asio::dynamic_buffer(*request), "\r\n\r\n", [=, this](const boost::system::error_code& error, size_t) {
          if (error) return;
          const size_t from = request->find(' ') + 1;
          on_request_(request->substr(from, request->find(' ', from) - from));
          auto reply = std::make_shared<std::string>(cat(
              "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length: ", sizeof kPage - 1,
              "\r\n\r\n", kPage));
          asio::async_write(*socket, asio::buffer(*reply),
                            [socket, reply](const boost::system::error_code&, size_t) {});
        });
  }
  tcp::acceptor acceptor_;
  std::function<void(const std::string&)> on_request_;
};

class BrowserLauncherTest : public testing::Test {
 protected:
  void SetUp() override {
    const char* path = std::getenv("PATH");
    const auto browser = find_browser("chromium", path ? path : "");
    if (!browser.ok()) GTEST_SKIP() << browser.error().message;
    std::string pattern = testing::TempDir() + "/launcher-XXXXXX";
    options_.temp_dir = mkdtemp(pattern.data());
    options_.browser = *browser;
    options_.launch_id = "launch 1";
    server_ = std::make_unique<BeatServer>(io_, [this](const std::string& target) { on_beat(target); });
    options_.url = server_->url();
    options_.limits.backoff_first = 50ms;
  }

  std::unique_ptr<BrowserLauncher> make_launcher() {
    return std::make_unique<BrowserLauncher>(
        io_, options_, [this](BrowserState, const std::string& message) { messages_.push_back(message); });
  }

  void on_beat(const std::string& target) {
    if (target.rfind("/beat", 0) != 0) return;
    last_beat_ = target;
    if (!launcher_) return;
    launcher_->on_agent(AgentLiveness::kConnected, "");
    silence_.expires_after(4s);
    silence_.async_wait([this](const boost::system::error_code& error) {
      if (!error && launcher_) launcher_->on_agent(AgentLiveness::kStuck, "no beat for 4 s");
    });
  }

  bool run_until(const std::function<bool()>& done, std::chrono::milliseconds limit = 30s) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    io_.restart();
    while (!done() && std::chrono::steady_clock::now() < deadline) io_.run_one_until(deadline);
    return done();
  }
  bool run_until_connected() {
    return run_until([this] { return launcher_->state() == BrowserState::kConnected; });
  }

  asio::io_context io_;
  asio::steady_timer silence_{io_};
  BrowserLauncher::Options options_;
  std::unique_ptr<BeatServer> server_;
  std::unique_ptr<BrowserLauncher> launcher_;
  std::vector<std::string> messages_;
  std::string last_beat_;
};

// The living processes of a group, each as a descriptor that becomes readable when the process ends.
class GroupWatch {
 public:
  explicit GroupWatch(pid_t group) {
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const pid_t pid = std::atoi(entry.path().filename().c_str());
      if (pid > 0 && getpgid(pid) == group) descriptors_.push_back(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
    }
  }
  ~GroupWatch() {
    for (int descriptor : descriptors_) close(descriptor);
  }
  size_t size() const { return descriptors_.size(); }
  // True once all of them have ended; false after 10 s for one.
  bool all_end() const {
    for (int descriptor : descriptors_) {
      pollfd wait{.fd = descriptor, .events = POLLIN, .revents = 0};
      if (descriptor >= 0 && poll(&wait, 1, 10'000) != 1) return false;
    }
    return true;
  }

 private:
  std::vector<int> descriptors_;
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
