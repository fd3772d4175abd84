// Many replays of one scenario, counted.
#pragma once
#include <cstdint>

#include "bench/statistics/replay.h"

namespace hone::bench {

struct Counts {
  int replays = 0, right = 0, wrong = 0, same = 0;  // faster or slower where that is true, or not; the rest is inconclusive
  double pairs = 0;                                 // the sum of all replays'
  int alerts_200_percent = 0, alerts_10_percent = 0;  // of the usual rules, on all the times of the same replays: the mean is twice the other one, or differs by a tenth

  double share(int count) const { return static_cast<double>(count) / replays; }
};
Counts count_replays(const Scenario& scenario, int replays, uint64_t seed);

// Of replays in which the slower build was found: in how many it was found in each of five others as well. effect > 0.
struct Confirmations {
  int declared = 0, confirmed = 0;
};
Confirmations count_confirmations(const Scenario& scenario, int replays, uint64_t seed);

}  // namespace hone::bench
