// CommitMeter: what a thread that commits tells of itself: how long its commits take, how much waits, why the latest one failed. Any thread.
#pragma once
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>

#include "base/histogram.h"
#include "base/result.h"

namespace hone {

struct CommitReading {
  Histogram seconds;  // of all commits, failed ones too
  uint64_t failures = 0;
  size_t queued = 0;                            // pieces of writing that wait
  std::optional<Error> failure;                 // of the latest commit
  std::chrono::steady_clock::time_point ended;  // the latest commit; the epoch = none yet
  std::optional<std::chrono::steady_clock::time_point> began;  // the commit that is under way
};

class CommitMeter {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static Time now() { return std::chrono::steady_clock::now(); }

  // A commit begins now.
  Time begin() {
    const std::lock_guard lock(mutex_);
    return *(reading_.began = now());
  }
  // A commit that began then has ended now.
  void ended(Time began, const Status& status) {
    const Time end = now();
    const std::lock_guard lock(mutex_);
    reading_.began.reset();
    reading_.seconds.observe(std::chrono::duration<double>(end - began).count());
    reading_.ended = end;
    reading_.failure = status.ok() ? std::nullopt : std::optional(status.error());
    reading_.failures += !status.ok();
  }
  // `queued` is not known here.
  CommitReading read() const {
    const std::lock_guard lock(mutex_);
    return reading_;
  }

 private:
  mutable std::mutex mutex_;
  CommitReading reading_;  // guarded by mutex_
};

}  // namespace hone
