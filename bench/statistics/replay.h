// Replays of comparisons on simulated or recorded noise, where the truth is known.
#pragma once
#include <cstdint>
#include <vector>

#include "bench/statistics/noise.h"
#include "stats/comparison.h"

namespace hone::bench {

struct Scenario {
  NoiseTraits noise;
  // As a share: the slower build takes 1 + effect times the other's; which one is slower a seed decides.
  double effect = 0;
  bool with_reference = false;  // a reference kernel runs beside, on the same device
  int quads_per_block = 2;
};

// One comparison as it came, up to the last look.
struct ComparisonRun {
  bool new_is_slower = false;
  double true_us = 0;  // of the faster build
  std::vector<stats::Block> blocks;
};
// A kernel of 5 µs to 3 ms; the order of each quad by a coin.
ComparisonRun simulate(const Scenario& scenario, uint64_t seed);

// The rule as it is used: blocks are added until it knows.
stats::ComparisonResult judge(const ComparisonRun& run, const stats::ComparisonRule& rule = {});

// What usual rules look at: the mean of all times of each build, here as a multiple of ComparisonRun::true_us, so that runs of different kernels can be held
// against each other.
struct Means {
  double old_build = 0, new_build = 0;
};
Means means_of(const ComparisonRun& run);

}  // namespace hone::bench
