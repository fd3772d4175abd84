// Welch's test of two means whose errors differ: The generalization of "Student's" problem when several different population variances are involved, Biometrika
// 34 (1947).
#pragma once

namespace hone::stats {

struct EstimatedMean {
  double mean = 0, standard_error = 0;
  double degrees = 0;  // of freedom of the error, > 0; infinite where it is known
};

// How probable means are that lie as far apart where there is no difference. Without any error 0 or, of equal means, 1.
double welch_p(const EstimatedMean& a, const EstimatedMean& b);

}  // namespace hone::stats
