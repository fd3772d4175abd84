#include "cli/service_manager.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace hone::cli {

namespace {

std::string take_variable(const char* name) {
  const char* value = std::getenv(name);
  const std::string taken = value ? value : "";
  unsetenv(name);
  return taken;
}

std::optional<int64_t> number_of(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

// Of another process where WATCHDOG_PID says so: the variables were inherited.
std::optional<std::chrono::milliseconds> take_watchdog() {
  const auto time_us = number_of(take_variable("WATCHDOG_USEC"));
  const auto process = number_of(take_variable("WATCHDOG_PID"));
  if (!time_us || *time_us <= 0 || (process && *process != getpid())) return std::nullopt;
  return std::chrono::milliseconds(std::max<int64_t>(2, *time_us / 1000));
}

}  // namespace

ServiceManager::ServiceManager(net::EventLoop& loop)
    : socket_(take_variable("NOTIFY_SOCKET")), watchdog_(take_watchdog()), beats_(loop) {}

void ServiceManager::ready() {
  tell("READY=1");
  if (!socket_.empty() && watchdog_) beats_.start_repeating(*watchdog_ / 2, [this] { tell("WATCHDOG=1"); });
}

// The beats go on: while a service stops, it may hang, too.
void ServiceManager::stopping() { tell("STOPPING=1"); }

// What cannot be told is left: whoever waits for it has a time of its own.
void ServiceManager::tell(const char* state) const {
  sockaddr_un to{.sun_family = AF_UNIX};
  if (socket_.empty() || socket_.size() >= sizeof to.sun_path) return;
  std::memcpy(to.sun_path, socket_.data(), socket_.size());
  if (to.sun_path[0] == '@') to.sun_path[0] = '\0';  // the abstract namespace
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
  const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return;
  (void)sendto(fd, state, std::strlen(state), MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&to), size);
  close(fd);
}

}  // namespace hone::cli
