#include "stats/welch.h"

#include <cmath>
#include <limits>

#include "stats/quantiles.h"

namespace hone::stats {
namespace {

double squared_error(const EstimatedMean& one) { return one.standard_error * one.standard_error; }

}  // namespace

double welch_p(const EstimatedMean& a, const EstimatedMean& b) {
  const double variance = squared_error(a) + squared_error(b);
  if (variance == 0) return a.mean == b.mean ? 1 : 0;
  const double spread =
      squared_error(a) * squared_error(a) / a.degrees + squared_error(b) * squared_error(b) / b.degrees;
  const double degrees = spread > 0 ? variance * variance / spread : std::numeric_limits<double>::infinity();
  return students_t_two_sided_p((a.mean - b.mean) / std::sqrt(variance), degrees);
}

}  // namespace hone::stats
