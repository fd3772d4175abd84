// Reactor: the network thread as the server's parts see it. The real one is an Asio io_context; tests turn a fake one by hand.
#pragma once
#include <functional>

namespace hone::server {

class Reactor {
 public:
  virtual ~Reactor() = default;
  virtual void post(std::function<void()> work) = 0;              // any thread; runs on the network thread
  virtual void after(double ms, std::function<void()> work) = 0;  // network thread; cannot be taken back
  virtual double now_ms() const = 0;                              // monotonic; any thread
};

}  // namespace hone::server
