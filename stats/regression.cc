#include "stats/regression.h"

#include <cmath>

#include "base/check.h"

namespace hone::stats {

Answer is_slower_by(double share, const Interval& log_ratio) {
  CHECK(share >= 0);
  const double permitted = std::log1p(share);
  if (log_ratio.low > permitted) return Answer::kYes;
  return log_ratio.high <= permitted ? Answer::kNo : Answer::kUnknown;
}

}  // namespace hone::stats
