// Ctrl-C and SIGTERM as calls on the event loop's thread. The second one ends the process at once with 130.
#pragma once
#include <functional>
#include <memory>

#include "base/net/event_loop.h"

namespace hone::cli {

class Interrupt {
 public:
  // With `on_terminate`, the first SIGTERM calls that instead; a signal after it counts as the first one.
  Interrupt(net::EventLoop& loop, std::function<void()> on_interrupt, std::function<void()> on_terminate = nullptr);
  ~Interrupt();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace hone::cli
