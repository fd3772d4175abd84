// Histogram: how many values lay within which bounds, with their sum. A value; who shares one between threads locks it.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace hone {

// Of durations in s: from a commit on a fast disk to what somebody notices.
inline constexpr std::array<double, 14> kSecondsBounds{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                                       0.1,    0.25,  0.5,    1,     2.5,  5,     10};

class Histogram {
 public:
  void observe(double seconds) {
    ++counts_[static_cast<size_t>(std::lower_bound(kSecondsBounds.begin(), kSecondsBounds.end(), seconds) -
                                  kSecondsBounds.begin())];
    sum_ += seconds;
  }
  // Values up to kSecondsBounds[i] that are in no bucket before; the last bucket has those beyond all bounds.
  const std::array<uint64_t, kSecondsBounds.size() + 1>& counts() const { return counts_; }
  double sum() const { return sum_; }

 private:
  std::array<uint64_t, kSecondsBounds.size() + 1> counts_{};
  double sum_ = 0;
};

}  // namespace hone
