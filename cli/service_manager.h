// ServiceManager: tells systemd, or whoever started this process likewise (sd_notify(3)), how it is: a datagram to the socket that $NOTIFY_SOCKET
// names. Without that variable nothing is told. On the event loop's thread.
#pragma once
#include <chrono>
#include <optional>
#include <string>

#include "base/net/event_loop.h"

namespace hone::cli {

class ServiceManager {
 public:
  // Takes NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID out of the environment: they are not meant for children.
  explicit ServiceManager(net::EventLoop& loop);

  // It serves. From here on the manager hears every half of its watchdog's time that the loop turns.
  void ready();
  void stopping();

 private:
  void tell(const char* state) const;

  const std::string socket_;                                 // "" = nobody to tell
  const std::optional<std::chrono::milliseconds> watchdog_;  // the time after which silence counts as a hang
  net::Timer beats_;
};

}  // namespace hone::cli
