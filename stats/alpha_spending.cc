#include "stats/alpha_spending.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/check.h"

namespace hone::stats {

double spent_share(double pairs_share) {
  CHECK(pairs_share >= 0);
  return std::log1p((std::numbers::e - 1) * std::min(1.0, pairs_share));
}

}  // namespace hone::stats
