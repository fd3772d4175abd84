#include "stats/quantiles.h"

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "base/check.h"

namespace hone::stats {
namespace {

namespace bm = boost::math;

// Nothing throws: what is out of a function's domain was CHECKed, and what overflows is infinite.
using Quiet = bm::policies::policy<bm::policies::domain_error<bm::policies::ignore_error>,
                                   bm::policies::overflow_error<bm::policies::ignore_error>,
                                   bm::policies::evaluation_error<bm::policies::ignore_error>>;
using Normal = bm::normal_distribution<double, Quiet>;
using StudentsT = bm::students_t_distribution<double, Quiet>;

}  // namespace

double normal_quantile(double probability) {
  CHECK(probability > 0 && probability < 1);
  return bm::quantile(Normal(), probability);
}

double students_t_quantile(double probability, double degrees) {
  CHECK(probability > 0 && probability < 1 && degrees > 0);
  return bm::quantile(StudentsT(degrees), probability);
}

double students_t_two_sided_p(double t, double degrees) {
  CHECK(degrees > 0);
  if (std::isinf(t)) return 0;
  return 2 * bm::cdf(bm::complement(StudentsT(degrees), std::fabs(t)));
}

}  // namespace hone::stats
