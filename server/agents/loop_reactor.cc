#include "server/agents/loop_reactor.h"

#include <chrono>

namespace hone::server {

LoopReactor::~LoopReactor() = default;

void LoopReactor::after(double ms, std::function<void()> work) {
  auto timer = std::make_shared<net::Timer>(loop_);
  timers_.insert(timer);
  auto fire = [this, weak = std::weak_ptr<net::Timer>(timer), work = std::move(work)] {
    auto self = weak.lock();
    timers_.erase(self);
    work();
  };
  timer->start(std::chrono::milliseconds(static_cast<int64_t>(ms)), std::move(fire));
}

double LoopReactor::now_ms() const {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace hone::server
