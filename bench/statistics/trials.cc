#include "bench/statistics/trials.h"

#include <cmath>

#include "base/hash.h"

namespace hone::bench {
namespace {

using stats::Verdict;

constexpr int kReruns = 5;

bool differs(Verdict verdict) { return verdict == Verdict::kFaster || verdict == Verdict::kSlower; }

bool is_right(const Scenario& scenario, const ComparisonRun& run, Verdict verdict) {
  return scenario.effect > 0 && verdict == (run.new_is_slower ? Verdict::kSlower : Verdict::kFaster);
}

}  // namespace

Counts count_replays(const Scenario& scenario, int replays, uint64_t seed) {
  Counts counts{.replays = replays};
  for (int i = 0; i < replays; ++i) {
    const ComparisonRun run = simulate(scenario, hash_mix(seed, static_cast<uint64_t>(i)));
    const stats::ComparisonResult result = judge(run);
    const bool right = is_right(scenario, run, result.verdict);
    counts.right += right;
    counts.wrong += differs(result.verdict) && !right;
    counts.same += result.verdict == Verdict::kSame;
    counts.pairs += result.pairs;
    const double ratio = ratio_of_means(run);
    counts.alerts_200_percent += std::fmax(ratio, 1 / ratio) >= 2;
    counts.alerts_10_percent += std::fmax(ratio, 1 / ratio) >= 1.1;
  }
  return counts;
}

// Which of the builds is slower is the seed's choice, so a right verdict is confirmed by another right one.
Confirmations count_confirmations(const Scenario& scenario, int replays, uint64_t seed) {
  Confirmations counts;
  for (int i = 0; i < replays; ++i) {
    const uint64_t own = hash_mix(seed, static_cast<uint64_t>(i));
    const ComparisonRun first = simulate(scenario, own);
    if (!is_right(scenario, first, judge(first).verdict)) continue;
    int confirmed = 0;
    for (int rerun = 1; rerun <= kReruns; ++rerun) {
      const ComparisonRun again = simulate(scenario, hash_mix(own, static_cast<uint64_t>(rerun)));
      confirmed += is_right(scenario, again, judge(again).verdict);
    }
    ++counts.declared;
    counts.confirmed += confirmed == kReruns;
  }
  return counts;
}

}  // namespace hone::bench
