// What tests of the launcher share: a page that beats against a small HTTP server, a test that plays the tracker and tells the launcher what the
// beats say, and a watch over a process group.
#pragma once
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <boost/asio.hpp>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/cat.h"
#include "browser-agent/launch/browser_finder.h"
#include "browser-agent/launch/browser_launcher.h"

namespace hone::launch {

namespace asio = boost::asio;

inline constexpr char kPage[] =
    "<!doctype html><script>setInterval(() => fetch('/beat?' + location.hash.slice(1)).catch(() => {}), 100)</script>";

// Answers each request with the page and reports its target.
class BeatServer {
 public:
  BeatServer(asio::io_context& io, std::function<void(const std::string& target)> on_request)
      : acceptor_(io, asio::ip::tcp::endpoint(asio::ip::address_v4::loopback(), 0)),
        on_request_(std::move(on_request)) {
    accept();
  }
  std::string url() const { return cat("http://127.0.0.1:", acceptor_.local_endpoint().port(), "/#token=secret"); }

 private:
  void accept() {
    acceptor_.async_accept([this](const boost::system::error_code& error, asio::ip::tcp::socket socket) {
      if (error) return;
      serve(std::make_shared<asio::ip::tcp::socket>(std::move(socket)));
      accept();
    });
  }
  void serve(std::shared_ptr<asio::ip::tcp::socket> socket) {
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
  asio::ip::tcp::acceptor acceptor_;
  std::function<void(const std::string&)> on_request_;
};

class WatchedLaunch {
 protected:
  // Call first. Fails where the browser is not installed. `folder` is for a folder of this launch.
  Status set_up(const std::string& name, const std::string& folder) {
    HONE_ASSIGN(browser, find_browser(name, search_path()));
    std::string pattern = folder + "/launcher-XXXXXX";
    options_.temp_dir = mkdtemp(pattern.data());
    options_.browser = browser;
    options_.launch_id = "launch 1";
    server_ = std::make_unique<BeatServer>(io_, [this](const std::string& target) { on_beat(target); });
    options_.url = server_->url();
    options_.limits.backoff_first = std::chrono::milliseconds(50);
    return ok_status();
  }

  static std::string search_path() {
    const char* path = std::getenv("PATH");
    return path ? path : "";
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
    silence_.expires_after(std::chrono::seconds(4));
    silence_.async_wait([this](const boost::system::error_code& error) {
      if (!error && launcher_) launcher_->on_agent(AgentLiveness::kStuck, "no beat for 4 s");
    });
  }

  bool run_until(const std::function<bool()>& done, std::chrono::milliseconds limit = std::chrono::seconds(30)) {
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

}  // namespace hone::launch
