// Listener: a TCP socket that accepts, on the loop's thread. It goes on where the process has no descriptor left, without turning in circles:
// libwebsockets' own does not.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/net/event_loop.h"
#include "base/result.h"

namespace hone::net {

class Listener {
 public:
  // `fd` is the callback's to close.
  using OnSocket = std::function<void(int fd, const std::string& address)>;
  // `address` is an IPv4 address; port 0 = any free one. Fails: kInvalidArgument, kAddressInUse, kIoError.
  static Result<std::unique_ptr<Listener>> open(EventLoop& loop, const std::string& address, uint16_t port,
                                                OnSocket on_socket);
  ~Listener();
  uint16_t port() const;

 private:
  struct Impl;
  explicit Listener(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace hone::net
