#include "bench/statistics/replay.h"

#include <cmath>
#include <utility>

#include "base/check.h"

namespace hone::bench {
namespace {

using stats::Pair, stats::Quad, stats::Block;

constexpr int kPairs = 120;  // to the last look
constexpr double kShortest_us = 5, kLongest_us = 3000, kReference_us = 1000;

constexpr int kReference = 2;  // to Noise

// What the two builds take, and what they are to Noise.
struct Builds {
  double old_us = 0, new_us = 0;
  int old_build = 0, new_build = 1;
};

Quad time_quad(Noise& noise, const Builds& builds, bool new_first) {
  const std::pair<double, int> old_build{builds.old_us, builds.old_build}, new_build{builds.new_us, builds.new_build};
  const auto& [first, second] = new_first ? std::pair(new_build, old_build) : std::pair(old_build, new_build);
  const double a = noise.time_us(first.first, first.second), b = noise.time_us(second.first, second.second);
  const double c = noise.time_us(second.first, second.second), d = noise.time_us(first.first, first.second);
  return new_first ? Quad{{b, a}, {c, d}} : Quad{{a, b}, {d, c}};
}

Block time_block(Noise& noise, const Builds& builds, const Scenario& scenario) {
  Block block;
  noise.open_tab();
  for (int i = 0; i < scenario.quads_per_block; ++i) {
    const bool new_first = noise.coin();
    block.quads.push_back(time_quad(noise, builds, new_first));
    if (scenario.with_reference)
      block.reference.push_back(time_quad(noise, {kReference_us, kReference_us, kReference, kReference}, new_first));
  }
  return block;
}

}  // namespace

ComparisonRun simulate(const Scenario& scenario, uint64_t seed) {
  Noise noise(scenario.noise, seed, 2 * kPairs * (scenario.with_reference ? 2 : 1));
  Builds builds;
  builds.old_us = builds.new_us = kShortest_us * std::pow(kLongest_us / kShortest_us, noise.uniform());
  ComparisonRun run{.new_is_slower = noise.coin(), .true_us = builds.old_us};
  (run.new_is_slower ? builds.new_us : builds.old_us) *= 1 + scenario.effect;
  for (int pairs = 0; pairs < kPairs; pairs += 2 * scenario.quads_per_block)
    run.blocks.push_back(time_block(noise, builds, scenario));
  return run;
}

stats::ComparisonResult judge(const ComparisonRun& run, const stats::ComparisonRule& rule) {
  auto comparison = stats::Comparison::make(rule);
  CHECK(comparison.ok());
  for (const Block& block : run.blocks) {
    const Status added = comparison->add(block);
    CHECK(added.ok());
    if (comparison->result().verdict != stats::Verdict::kMorePairs) break;
  }
  return comparison->result();
}

Means means_of(const ComparisonRun& run) {
  Means sums;
  double pairs = 0;
  for (const Block& block : run.blocks)
    for (const Quad& quad : block.quads)
      for (const Pair& pair : {quad.first, quad.second}) {
        sums.old_build += pair.old_us / run.true_us;
        sums.new_build += pair.new_us / run.true_us;
        ++pairs;
      }
  return {sums.old_build / pairs, sums.new_build / pairs};
}

}  // namespace hone::bench
