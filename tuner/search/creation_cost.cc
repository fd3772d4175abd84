#include "tuner/search/creation_cost.h"

#include <algorithm>

namespace hone::tuner {

namespace {

constexpr size_t kSeenMin = 8;        // kernels, a round of them, before one is called costly
constexpr double kNegligibleMs = 60;  // what nobody waits for
constexpr double kTimesMax = 8;       // a round of others in its stead

}  // namespace

void CreationCost::observe(int64_t operations, double create_ms) {
  if (create_ms <= 0) return;
  all_ms_.insert(std::upper_bound(all_ms_.begin(), all_ms_.end(), create_ms), create_ms);
  const auto x = static_cast<double>(operations);
  operations_ += x;
  ms_ += create_ms;
  operations_squared_ += x * x;
  operations_ms_ += x * create_ms;
}

// By least squares.
double CreationCost::predict_ms(int64_t operations) const {
  const auto n = static_cast<double>(all_ms_.size());
  const double mean = operations_ / n, spread = operations_squared_ - mean * operations_, together = operations_ms_ - mean * ms_;
  return ms_ / n + (spread > 0 ? std::max(0.0, together / spread) : 0) * (static_cast<double>(operations) - mean);
}

// Pipelines are created several at a time, so a slow neighbour makes others look slow: the lower quartile is what is usual.
double CreationCost::times_usual(int64_t operations, int64_t operations_of_best) const {
  if (all_ms_.size() < kSeenMin || (operations_of_best > 0 && operations <= operations_of_best)) return 1;
  return std::clamp(predict_ms(operations) / std::max(kNegligibleMs, all_ms_[all_ms_.size() / 4]), 1.0, kTimesMax);
}

}  // namespace hone::tuner
