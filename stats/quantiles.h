// Quantiles and tail probabilities of the normal distribution and of Student's t, from Boost.Math.
#pragma once

namespace hone::stats {

// The value below which a share `probability` lies. 0 < probability < 1; CHECKed.
double normal_quantile(double probability);
// degrees: of freedom, > 0, whole or not.
double students_t_quantile(double probability, double degrees);
// How probable a value is that lies at least as far from 0 as t, to either side. 0 for an infinite t.
double students_t_two_sided_p(double t, double degrees);

}  // namespace hone::stats
