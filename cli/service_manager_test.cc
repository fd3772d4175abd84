#include "cli/service_manager.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "base/cat.h"

namespace hone::cli {
namespace {

// systemd's end: a socket that hears.
class Manager {
 public:
  explicit Manager(const std::string& name)
      : name_(name), fd_(socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
    sockaddr_un at{.sun_family = AF_UNIX};
    std::memcpy(at.sun_path, name.data(), name.size());
    if (name[0] == '@') at.sun_path[0] = '\0';
    else std::filesystem::remove(name);
    bound_ = bind(fd_, reinterpret_cast<sockaddr*>(&at),
                  static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size())) == 0;
    setenv("NOTIFY_SOCKET", name.c_str(), 1);
  }
  ~Manager() {
    close(fd_);
    if (name_[0] != '@') std::filesystem::remove(name_);
    for (const char* variable : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"}) unsetenv(variable);
  }
  const std::vector<std::string>& heard() {
    std::array<char, 256> text;
    for (ssize_t size; (size = recv(fd_, text.data(), text.size(), 0)) > 0;)
      heard_.emplace_back(text.data(), static_cast<size_t>(size));
    return heard_;
  }
  bool bound() const { return bound_; }

 private:
  const std::string name_;
  const int fd_;
  bool bound_ = false;
  std::vector<std::string> heard_;
};

std::string file_name() { return testing::TempDir() + cat("notify_", getpid()); }

TEST(ServiceManager, HearsThatAServiceIsReadyTurnsAndStops) {
  // Given a manager with a watchdog of 40 ms, at a path or at an abstract name, when a service is ready and its loop turns, then the manager hears so,
  // then its beats, then that it stops; and no child will find the variables.
  for (const std::string& name : {file_name(), cat("@hone_notify_", getpid())}) {
    Manager manager(name);
    ASSERT_TRUE(manager.bound()) << name;
    setenv("WATCHDOG_USEC", "40000", 1);
    setenv("WATCHDOG_PID", cat(getpid()).c_str(), 1);
    net::EventLoop loop;
    ServiceManager service(loop);
    for (const char* variable : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"})
      EXPECT_EQ(std::getenv(variable), nullptr);
    EXPECT_TRUE(manager.heard().empty());
    service.ready();
    ASSERT_TRUE(loop.run_until([&] { return manager.heard().size() >= 3; }, std::chrono::seconds(10)));
    service.stopping();
    const auto& heard = manager.heard();
    EXPECT_EQ(heard.front(), "READY=1");
    EXPECT_EQ(heard[1], "WATCHDOG=1");
    EXPECT_EQ(heard.back(), "STOPPING=1");
  }
}

TEST(ServiceManager, WithoutAWatchdogNothingBeats) {
  // Given a manager without a watchdog, one whose watchdog is another process's, and one whose time is no time, when a service is ready and its loop
  // turns, then that it is ready is all that is heard.
  for (const auto& [time, process] :
       {std::pair("", ""), std::pair("20000", "1"), std::pair("soon", ""), std::pair("-5", "")}) {
    Manager manager(file_name());
    if (*time) setenv("WATCHDOG_USEC", time, 1);
    if (*process) setenv("WATCHDOG_PID", process, 1);
    net::EventLoop loop;
    ServiceManager service(loop);
    service.ready();
    bool turned = false;
    net::Timer later(loop);
    later.start(std::chrono::milliseconds(60), [&] { turned = true; });
    ASSERT_TRUE(loop.run_until([&] { return turned; }, std::chrono::seconds(10)));
    EXPECT_EQ(manager.heard(), std::vector<std::string>{"READY=1"}) << time;
  }
}

TEST(ServiceManager, NobodyToTellIsNoFault) {
  // Given no manager, one that is gone, and a name that no socket can have, when a service tells how it is, then nothing happens.
  for (const std::string& name : {std::string(), std::string("/nowhere/at/all"), std::string(300, 'x')}) {
    if (name.empty()) unsetenv("NOTIFY_SOCKET");
    else setenv("NOTIFY_SOCKET", name.c_str(), 1);
    net::EventLoop loop;
    ServiceManager service(loop);
    service.ready();
    service.stopping();
    EXPECT_EQ(std::getenv("NOTIFY_SOCKET"), nullptr);
  }
}

}  // namespace
}  // namespace hone::cli
