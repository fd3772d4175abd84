// Draining: how a service ends at SIGTERM: it takes no more jobs, and those that run may end within a time. On the event loop's thread.
#pragma once
#include <chrono>
#include <functional>

#include "base/net/event_loop.h"
#include "cli/drainable.h"

namespace hone::cli {

class Draining {
 public:
  // All outlives it.
  Draining(net::EventLoop& loop, Drainable& service) : service_(service), look_(loop), limit_(loop) {}
  // `on_end` is called once, when no job runs any more, or when the time is over.
  void begin(std::chrono::milliseconds limit, std::function<void()> on_end);

 private:
  void end();

  Drainable& service_;
  std::function<void()> on_end_;
  net::Timer look_, limit_;
};

}  // namespace hone::cli
