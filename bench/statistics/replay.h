// Replays of comparisons on simulated or recorded noise, where the truth is known.
#pragma once
#include <cstdint>
#include <vector>

#include "bench/statistics/noise.h"
#include "stats/comparison.h"

namespace hone::bench {

struct Scenario {
  NoiseTraits noise;
  double effect = 0;            // as a share: the slower build takes 1 + effect times the other's; which one is slower a seed decides
  bool with_reference = false;  // a reference kernel runs beside, on the same device
  int quads_per_block = 2;
};

// One comparison as it came, up to the last look.
struct ComparisonRun {
  bool new_is_slower = false;
  std::vector<stats::Block> blocks;
};
// A kernel of 5 µs to 3 ms; the order of each quad by a coin.
ComparisonRun simulate(const Scenario& scenario, uint64_t seed);

// The rule as it is used: blocks are added until it knows.
stats::ComparisonResult judge(const ComparisonRun& run, const stats::ComparisonRule& rule = {});

// What usual rules look at: the mean of all new times over the mean of all old ones.
double ratio_of_means(const ComparisonRun& run);

}  // namespace hone::bench
