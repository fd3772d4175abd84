// Ctrl-C and SIGTERM as calls on the event loop's thread. The second one ends the process at once with 130.
#pragma once
#include <functional>
#include <memory>

#include "base/net/event_loop.h"

namespace hone::cli {

class Interrupt {
 public:
  Interrupt(net::EventLoop& loop, std::function<void()> on_interrupt);
  ~Interrupt();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace hone::cli
