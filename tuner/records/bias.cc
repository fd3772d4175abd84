#include "tuner/records/bias.h"

#include <algorithm>

namespace hone::tuner {

namespace {

// Ratios whose spread is below this are as good as equal: a clock's steps leave none, and a division by it is none.
constexpr double kSpreadMin = 1e-9;

}  // namespace

void BiasTest::add(double log_ratio) {
  ++count_;
  const double before = log_ratio - mean_;
  mean_ += before / count_;
  squares_ += before * (log_ratio - mean_);
}

double BiasTest::log_bayes_factor(double mean_of_none) const {
  const double n = count_, variance = std::max(squares_ / (n - 1), kSpreadMin * kSpreadMin);
  const double t2 = n * (mean_ - mean_of_none) * (mean_ - mean_of_none) / variance;
  return (n * (std::log1p(t2 / (n - 1)) - std::log1p(t2 / ((n - 1) * (1 + n)))) - std::log1p(n)) / 2;
}

bool BiasTest::is_biased(double allowed, double alpha) const {
  if (count_ < 2) return false;
  const double nearest = std::clamp(mean_, -allowed, allowed);
  return log_bayes_factor(nearest) >= -std::log(alpha);
}

}  // namespace hone::tuner
