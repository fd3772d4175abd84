#include "server/compile/pause_budget.h"

#include <algorithm>

namespace hone::server {

void PauseBudget::settle(Time now) {
  // A term ends in between where nobody looked.
  while (settled_ < now) {
    const bool drains = wanted_ && !forced_;
    const auto passed = std::chrono::nanoseconds(now - settled_);
    const auto until = drains ? left_ : (longest_ - left_ + std::chrono::nanoseconds(kRefill - 1)) / kRefill;
    const auto step = std::min(passed, until);
    left_ = drains ? left_ - step : std::min(longest_, left_ + step * kRefill);
    settled_ += std::chrono::duration_cast<Time::duration>(step);
    if (left_ <= std::chrono::nanoseconds(0)) forced_ = true;
    if (left_ >= longest_) forced_ = false;
    if (!wanted_ && left_ >= longest_) settled_ = now;
  }
}

void PauseBudget::want(bool still, Time now) {
  settle(now);
  wanted_ = still;
}

bool PauseBudget::still(Time now) {
  settle(now);
  return wanted_ && !forced_;
}

PauseBudget::Time PauseBudget::changes_at(Time now) {
  settle(now);
  const auto left = forced_ ? (longest_ - left_ + std::chrono::nanoseconds(kRefill - 1)) / kRefill : left_;
  return now + std::chrono::duration_cast<Time::duration>(left);
}

}  // namespace hone::server
