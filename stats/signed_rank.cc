#include "stats/signed_rank.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "stats/limits.h"
#include "stats/quantiles.h"

namespace hone::stats {
namespace {

constexpr double kStandardErrorAlpha = 0.2;  // possible from four values on

std::vector<double> sorted_walsh_averages(std::span<const double> values) {
  std::vector<double> all;
  all.reserve(values.size() * (values.size() + 1) / 2);
  for (size_t i = 0; i < values.size(); ++i)
    for (size_t j = i; j < values.size(); ++j) all.push_back((values[i] + values[j]) / 2);
  std::sort(all.begin(), all.end());
  return all;
}

// The sum of ranks has rank i in it with probability 1/2. The upper half of the sums is the lower's mirror.
std::vector<double> cumulative_of(size_t count) {
  std::vector<double> probability(count * (count + 1) / 4 + 1, 0);
  probability[0] = 1;
  for (size_t rank = 1; rank <= count; ++rank)
    for (size_t sum = probability.size(); sum-- > 0;)
      probability[sum] = (probability[sum] + (sum >= rank ? probability[sum - rank] : 0)) / 2;
  for (size_t sum = 1; sum < probability.size(); ++sum) probability[sum] += probability[sum - 1];
  return probability;
}

}  // namespace

SignedRank::SignedRank(std::span<const double> values)
    : count_(values.size()), walsh_averages_(sorted_walsh_averages(values)), cumulative_(cumulative_of(values.size())) {
  CHECK(count_ > 0 && count_ <= kBlocksMax);
}

double SignedRank::estimate() const {
  return (walsh_averages_[walsh_averages_.size() / 2] + walsh_averages_[(walsh_averages_.size() - 1) / 2]) / 2;
}

Interval SignedRank::interval(double alpha) const {
  // So many averages on either side are left out.
  const auto outside =
      static_cast<size_t>(std::upper_bound(cumulative_.begin(), cumulative_.end(), alpha / 2) - cumulative_.begin());
  if (outside == 0) return {};
  return {walsh_averages_[outside - 1], walsh_averages_[walsh_averages_.size() - outside]};
}

double SignedRank::p_value() const {
  const auto not_above =
      std::upper_bound(walsh_averages_.begin(), walsh_averages_.end(), 0.0) - walsh_averages_.begin();
  const auto not_below = walsh_averages_.end() - std::lower_bound(walsh_averages_.begin(), walsh_averages_.end(), 0.0);
  const auto rarer = static_cast<size_t>(std::min<std::ptrdiff_t>(not_above, not_below));
  return rarer < cumulative_.size() ? std::min(1.0, 2 * cumulative_[rarer]) : 1;
}

double SignedRank::standard_error() const {
  const auto outside = static_cast<size_t>(
      std::upper_bound(cumulative_.begin(), cumulative_.end(), kStandardErrorAlpha / 2) - cumulative_.begin());
  if (outside == 0) return std::numeric_limits<double>::infinity();
  const double width = walsh_averages_[walsh_averages_.size() - outside] - walsh_averages_[outside - 1];
  return width / 2 / normal_quantile(1 - cumulative_[outside - 1]);
}

}  // namespace hone::stats
