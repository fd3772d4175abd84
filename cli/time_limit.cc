#include "cli/time_limit.h"

#include <chrono>

namespace hone::cli {

TimeLimit::TimeLimit(double time_s) {
  if (time_s <= 0) return;
  thread_ = std::thread([this, limit = std::chrono::duration<double>(time_s)] {
    std::unique_lock lock(mutex_);
    if (!ended_.wait_for(lock, limit, [this] { return over_; })) token_.cancel();
  });
}

TimeLimit::~TimeLimit() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  ended_.notify_one();
  if (thread_.joinable()) thread_.join();
}

}  // namespace hone::cli
