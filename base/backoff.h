// Backoff: the waits between attempts. They double from `first` to `max`, each drawn evenly from [half, whole], so that those who were cut off
// together do not come back together.
#pragma once
#include <algorithm>
#include <chrono>

#include "base/rng.h"

namespace hone {

class Backoff {
 public:
  struct Limits {
    std::chrono::milliseconds first{200}, max{5'000};
  };
  Backoff(Limits limits, uint64_t seed) : limits_(limits), rng_(seed) {}

  // Before the next attempt.
  std::chrono::milliseconds next() {
    const auto whole = std::min(limits_.max, limits_.first * (int64_t{1} << std::min(failures_++, kDoublingsMax)));
    return whole / 2 + std::chrono::milliseconds(rng_.below(static_cast<uint64_t>(whole.count() / 2) + 1));
  }
  // An attempt went well.
  void reset() { failures_ = 0; }

 private:
  static constexpr int kDoublingsMax = 20;
  const Limits limits_;
  Rng rng_;
  int failures_ = 0;
};

}  // namespace hone
