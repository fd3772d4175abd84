// TimeLimit: cancels a token when the time is over; for work on this thread that hears a token, before an event loop runs.
#pragma once
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/cancel.h"

namespace hone::cli {

class TimeLimit {
 public:
  explicit TimeLimit(double time_s);  // 0: no limit
  ~TimeLimit();
  TimeLimit(const TimeLimit&) = delete;

  const CancelToken* token() const { return &token_; }

 private:
  CancelToken token_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool over_ = false;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace hone::cli
