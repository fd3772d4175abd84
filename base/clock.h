// Time enters by constructor, so that a test can make an hour pass in no time.
#pragma once
#include <chrono>

namespace hone {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::chrono::milliseconds now() const = 0;
};

// Never jumps: for deadlines, leases and durations. Its zero means nothing.
class SteadyClock : public Clock {
 public:
  std::chrono::milliseconds now() const override {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch());
  }
};

// Milliseconds since 1970 in UTC; may jump: for times that are stored or shown.
class SystemClock : public Clock {
 public:
  std::chrono::milliseconds now() const override {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch());
  }
};

class FakeClock : public Clock {
 public:
  explicit FakeClock(std::chrono::milliseconds start = std::chrono::milliseconds(1'000'000)) : now_(start) {}
  std::chrono::milliseconds now() const override { return now_; }
  void advance(std::chrono::milliseconds by) { now_ += by; }

 private:
  std::chrono::milliseconds now_;
};

}  // namespace hone
