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

// The means of the build that is the slower one in truth, and of the other.
struct SpeedMeans {
  double slower = 1, faster = 1;
};

SpeedMeans speed_means(const ComparisonRun& run) {
  const Means means = means_of(run);
  return run.new_is_slower ? SpeedMeans{means.new_build, means.old_build}
                           : SpeedMeans{means.old_build, means.new_build};
}

void add_alerts(double ratio, Alerts& alerts) {
  alerts.at_200_percent += std::fmax(ratio, 1 / ratio) >= 2;
  alerts.at_10_percent += std::fmax(ratio, 1 / ratio) >= 1.1;
}

}  // namespace

Counts count_replays(const Scenario& scenario, int replays, uint64_t seed) {
  Counts counts{.replays = replays};
  SpeedMeans before;
  for (int i = 0; i < replays; ++i) {
    const ComparisonRun run = simulate(scenario, hash_mix(seed, static_cast<uint64_t>(i)));
    const stats::ComparisonResult result = judge(run);
    const bool right = is_right(scenario, run, result.verdict);
    counts.right += right;
    counts.wrong += differs(result.verdict) && !right;
    counts.same += result.verdict == Verdict::kSame;
    counts.pairs += result.pairs;
    const SpeedMeans means = speed_means(run);
    add_alerts(means.slower / means.faster, counts.beside);
    if (i > 0)
      add_alerts(run.new_is_slower ? means.slower / before.faster : means.faster / before.slower, counts.stored);
    before = means;
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
    int confirmed = 0, contradicted = 0;
    for (int rerun = 1; rerun <= kReruns; ++rerun) {
      const ComparisonRun again = simulate(scenario, hash_mix(own, static_cast<uint64_t>(rerun)));
      const Verdict verdict = judge(again).verdict;
      confirmed += is_right(scenario, again, verdict);
      contradicted += differs(verdict) && !is_right(scenario, again, verdict);
    }
    ++counts.declared;
    counts.confirmed += confirmed == kReruns;
    counts.contradicted += contradicted > 0;
  }
  return counts;
}

}  // namespace hone::bench
