// Interval: from low to high, both included.
#pragma once
#include <limits>

namespace hone::stats {

struct Interval {
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();

  bool contains(double value) const { return low <= value && value <= high; }
  bool is_within(double reach) const { return -reach < low && high < reach; }
};

}  // namespace hone::stats
