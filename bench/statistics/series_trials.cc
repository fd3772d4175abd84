#include "bench/statistics/series_trials.h"

#include <cstdlib>

#include "base/check.h"
#include "base/hash.h"
#include "stats/change_points.h"

namespace hone::bench {
namespace {

constexpr int kPoints = 60, kOffMax = 3;
constexpr double kTime_us = 100, kSlower = 1.05;

std::vector<stats::ChangePoint> changes(const NoiseTraits& traits, double slower, uint64_t seed) {
  Noise noise(traits, seed, kPoints);
  stats::Series series;
  for (int i = 0; i < kPoints; ++i) {
    noise.open_tab();
    series.times_us.push_back(noise.time_us(kTime_us * (i < kPoints / 2 ? 1 : slower), 0));
  }
  auto found = stats::change_points(series);
  CHECK(found.ok());
  return *std::move(found);
}

}  // namespace

SeriesCounts count_series(const NoiseTraits& noise, int series, uint64_t seed) {
  SeriesCounts counts{.series = series};
  for (int i = 0; i < series; ++i) {
    const uint64_t own = hash_mix(seed, static_cast<uint64_t>(i));
    counts.false_alarms += !changes(noise, 1, own).empty();
    const auto found = changes(noise, kSlower, own);
    counts.found += found.size() == 1 && std::abs(static_cast<int>(found[0].at) - kPoints / 2) <= kOffMax;
  }
  return counts;
}

}  // namespace hone::bench
