// LoopLag: how late a loop comes to what is due: what everybody on it waits for besides. Measured with a timer ten times a second, on the
// loop's thread.
#pragma once
#include "base/clock.h"
#include "base/histogram.h"
#include "base/net/event_loop.h"

namespace hone::net {

class LoopLag {
 public:
  // Both outlive it.
  LoopLag(EventLoop& loop, const Clock& steady);

  const Histogram& seconds() const { return seconds_; }
  // The greatest since the last call, s; a timer that is due and did not come yet counts.
  double take_max();

 private:
  void wait();
  double late() const;  // the timer that is waited for, s

  const Clock& steady_;
  Timer timer_;
  std::chrono::milliseconds due_{0};
  Histogram seconds_;
  double max_ = 0;
};

}  // namespace hone::net
