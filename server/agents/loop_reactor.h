// LoopReactor: the event loop as a Reactor.
#pragma once
#include <set>

#include "base/net/event_loop.h"
#include "server/agents/reactor.h"

namespace hone::server {

class LoopReactor : public Reactor {
 public:
  explicit LoopReactor(net::EventLoop& loop) : loop_(loop) {}
  ~LoopReactor() override;  // timers that did not come yet never come
  void post(std::function<void()> work) override { loop_.post(std::move(work)); }
  void after(double ms, std::function<void()> work) override;
  double now_ms() const override;

 private:
  net::EventLoop& loop_;
  std::set<std::shared_ptr<net::Timer>> timers_;
};

}  // namespace hone::server
