// Many replays of one scenario, counted.
#pragma once
#include <cstdint>

#include "bench/statistics/replay.h"

namespace hone::bench {

// How often usual rules alert: the mean of one build's times is twice that of the other's, or differs by a tenth, to either side.
struct Alerts {
  int at_200_percent = 0, at_10_percent = 0;
};

struct Counts {
  int replays = 0;
  int right = 0, wrong = 0,
      same = 0;      // called faster or slower where that is true, or where not; the rest is inconclusive
  double pairs = 0;  // the sum of all replays'
  // The new build's times and the old one's of one run.
  Alerts beside;
  // The new build's times of one run and the old one's of the run before, which is how a stored result is used.
  Alerts stored;

  double share(int count) const { return static_cast<double>(count) / replays; }
};
Counts count_replays(const Scenario& scenario, int replays, uint64_t seed);

// Of replays in which the slower build was found: in how many it was found in each of five others as well, and in how many one of the five called it the faster
// one. effect > 0.
struct Confirmations {
  int declared = 0, confirmed = 0, contradicted = 0;
};
Confirmations count_confirmations(const Scenario& scenario, int replays, uint64_t seed);

}  // namespace hone::bench
