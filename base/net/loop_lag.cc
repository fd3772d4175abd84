#include "base/net/loop_lag.h"

#include <algorithm>
#include <utility>

namespace hone::net {

namespace {
constexpr std::chrono::milliseconds kEvery{100};
}  // namespace

LoopLag::LoopLag(EventLoop& loop, const Clock& steady) : steady_(steady), timer_(loop) { wait(); }

double LoopLag::late() const { return std::max(0.0, std::chrono::duration<double>(steady_.now() - due_).count()); }

double LoopLag::take_max() { return std::max(std::exchange(max_, 0.0), late()); }

void LoopLag::wait() {
  due_ = steady_.now() + kEvery;
  timer_.start(kEvery, [this] {
    seconds_.observe(late());
    max_ = std::max(max_, late());
    wait();
  });
}

}  // namespace hone::net
