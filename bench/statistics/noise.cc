#include "bench/statistics/noise.h"

#include <algorithm>
#include <cmath>

namespace hone::bench {
namespace {

constexpr double kStepsMin = 50;         // of the clock in a sample, as the agent's timing ladder has it
constexpr double kBurstSamples = 3;      // in the mean
constexpr double kThrottleSamples = 60;  // in the mean

}  // namespace

Noise::Noise(const NoiseTraits& traits, uint64_t seed, int samples)
    : traits_(traits), random_(seed), samples_(samples) {
  if (!traits.recorded.empty())
    recorded_at_ = static_cast<size_t>(uniform() * static_cast<double>(traits.recorded.size()));
  if (!traits.throttles) return;
  throttle_from_ = uniform() * samples;
  throttle_samples_ = boost::random::exponential_distribution<double>(1 / kThrottleSamples)(random_);
  throttle_slowdown_ = 1.3 + 1.2 * uniform();
  throttle_period_ = coin() ? 0 : 3 + 6 * uniform();
}

void Noise::open_tab() {
  for (double& effect : tab_) effect = traits_.tab_effect * normal_(random_);
}

double Noise::time_us(double true_us, int build) {
  const double us = true_us * std::exp(tab_[build] + jitter()) * slowdown();
  ++sample_;
  return read(us);
}

double Noise::slowdown() {
  double slowdown = (1 + traits_.drift * sample_ / samples_) * heat() * burst();
  if (!traits_.recorded.empty()) slowdown *= traits_.recorded[recorded_at_++ % traits_.recorded.size()];
  return slowdown;
}

double Noise::burst() {
  if (traits_.bursts_per_sample == 0) return 1;
  if (burst_left_ == 0 && uniform() < traits_.bursts_per_sample) {
    burst_left_ =
        1 + static_cast<int>(boost::random::exponential_distribution<double>(1 / (kBurstSamples - 0.5))(random_));
    burst_slowdown_ = 1.2 + 0.8 * uniform();
  }
  if (burst_left_ == 0) return 1;
  // The first and the last sample are beside the burst for a part of their time.
  return --burst_left_ == 0 ? 1 + (burst_slowdown_ - 1) * uniform() : burst_slowdown_;
}

double Noise::heat() const {
  if (sample_ < throttle_from_ || sample_ >= throttle_from_ + throttle_samples_) return 1;
  const bool rests =
      throttle_period_ > 0 && std::fmod(sample_ - throttle_from_, throttle_period_) > throttle_period_ / 2;
  return rests ? 1 : throttle_slowdown_;
}

double Noise::jitter() { return traits_.cv * (traits_.heavy_tails ? t3_(random_) / std::sqrt(3.0) : normal_(random_)); }

// As many repeats as the ladder takes: a sample lasts the least number of steps or somewhat more; the clock's phase is any.
double Noise::read(double us) {
  if (traits_.clock_step_us == 0) return us;
  const double repeats = std::ceil(kStepsMin * traits_.clock_step_us / us);
  const double steps = std::floor(us * repeats / traits_.clock_step_us + uniform());
  return std::max(1.0, steps) * traits_.clock_step_us / repeats;
}

}  // namespace hone::bench
