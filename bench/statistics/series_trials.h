// Series of times, run after run, with and without a change, in which change points are looked for.
#pragma once
#include <cstdint>

#include "bench/statistics/noise.h"

namespace hone::bench {

struct SeriesCounts {
  int series = 0;
  // Of series without a change: those in which one was found.
  int false_alarms = 0;
  // Of series that become slower by 5 % in the middle: those with one change point, three points off at most.
  int found = 0;
};
// Series of 60 points.
SeriesCounts count_series(const NoiseTraits& noise, int series, uint64_t seed);

}  // namespace hone::bench
