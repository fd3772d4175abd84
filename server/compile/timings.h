// Timings: milliseconds of many equal steps, for the report. Any thread.
#pragma once
#include <chrono>
#include <mutex>
#include <vector>

#include "base/median.h"

namespace hone::server {

class Timings {
 public:
  void add(double ms) {
    std::lock_guard lock(mutex_);
    ms_.push_back(static_cast<float>(ms));
  }
  // 0 when nothing was added.
  double median_ms() const {
    std::lock_guard lock(mutex_);
    return median({ms_.begin(), ms_.end()});
  }
  size_t count() const {
    std::lock_guard lock(mutex_);
    return ms_.size();
  }

 private:
  mutable std::mutex mutex_;
  std::vector<float> ms_;
};

inline double ms_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace hone::server
