#include "stats/energy_split.h"

#include <cmath>
#include <vector>

#include "base/check.h"

namespace hone::stats {
namespace {

// Sums of |value − another| over the pairs of values with both left of a place, and with both right of it.
struct PairSums {
  std::vector<double> left, right;
};

PairSums pair_sums(std::span<const double> values) {
  const size_t count = values.size();
  std::vector<double> to_earlier(count, 0), to_later(count, 0);
  for (size_t i = 0; i < count; ++i)
    for (size_t j = 0; j < i; ++j) {
      const double distance = std::fabs(values[i] - values[j]);
      to_earlier[i] += distance;
      to_later[j] += distance;
    }
  PairSums sums{std::vector<double>(count + 1, 0), std::vector<double>(count + 1, 0)};
  for (size_t i = 0; i < count; ++i) sums.left[i + 1] = sums.left[i] + to_earlier[i];
  for (size_t i = count; i-- > 0;) sums.right[i] = sums.right[i + 1] + to_later[i];
  return sums;
}

}  // namespace

size_t energy_split(std::span<const double> values, size_t side_min) {
  CHECK(side_min >= 2 && values.size() >= 2 * side_min);
  const PairSums sums = pair_sums(values);
  const double all = sums.left.back();
  size_t best = side_min;
  double best_distance = -1;
  for (size_t place = side_min; place + side_min <= values.size(); ++place) {
    const auto left = static_cast<double>(place), right = static_cast<double>(values.size() - place);
    const double between = all - sums.left[place] - sums.right[place];
    const double energy = 2 * between / (left * right) - 2 * sums.left[place] / (left * (left - 1)) -
                          2 * sums.right[place] / (right * (right - 1));
    const double distance = energy * left * right / (left + right);
    if (distance <= best_distance) continue;
    best_distance = distance;
    best = place;
  }
  return best;
}

}  // namespace hone::stats
