// How many pairs a comparison probably takes, for a budget of time. A forecast, from which no verdict follows.
#pragma once
#include "stats/comparison.h"

namespace hone::stats {

struct Plan {
  double cv = 0;      // deviation of one time, as a share
  double effect = 0;  // as a share: the least that is to be found
  double alpha = 0.01;
  double power = 0.9;  // how probably it is found
};
// Before anything is measured: 2 (z(1 − alpha / 2) + z(power))² (cv / effect)², the size for a t-test of pairs, 10 at least. kInvalidArgument where a
// number is not positive and finite, alpha ≥ 1 or power ≥ 1.
Result<double> pairs_for(const Plan& plan);

// From a comparison under way: all the pairs, those that are there included, after which an interval such as the last look's would decide, if the estimate stays
// and the interval narrows with the root of the pairs: it leaves 0 out, or lies where builds are the same. It may be beyond the last look, where it says what the
// device's noise would take. Infinite while nothing is known of the noise. The reference kernel is left out of it.
double pairs_needed(const Comparison& comparison);

}  // namespace hone::stats
