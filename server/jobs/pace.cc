#include "server/jobs/pace.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "server/jobs/limits.h"

namespace hone::server {

void Pace::note(double elapsed_s, int trials) {
  recent_.push_back({elapsed_s, trials});
  while (recent_.size() > 2 && elapsed_s - recent_.front().elapsed_s > kRateWindowS) recent_.pop_front();
}

double Pace::trials_per_second() const {
  if (recent_.empty()) return 0;
  const double span_s = recent_.back().elapsed_s - recent_.front().elapsed_s;
  return span_s > 0 ? (recent_.back().trials - recent_.front().trials) / span_s : 0;
}

double Pace::left_s(int trials_left, double limit_s) const {
  constexpr double kUnknown = std::numeric_limits<double>::infinity();
  if (trials_left <= 0 || recent_.empty()) return 0;
  const double rate = trials_per_second();
  const double by_pace = rate > 0 ? trials_left / rate : kUnknown;
  const double by_limit = limit_s > 0 ? std::max(0.0, limit_s - recent_.back().elapsed_s) : kUnknown;
  const double left = std::min(by_pace, by_limit);
  return std::isfinite(left) ? left : 0;
}

}  // namespace hone::server
