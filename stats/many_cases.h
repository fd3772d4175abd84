// Many cases at once: of 200 kernels that are the same, two would be called faster or slower by accident.
#pragma once
#include <span>
#include <vector>

#include "stats/comparison.h"

namespace hone::stats {

// p-values as those of a family: to reject where one is up to alpha keeps the probability that any true hypothesis is rejected within alpha, however the cases
// depend on each other. Holm: A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6 (1979).
std::vector<double> holm_adjusted(std::span<const double> p_values);
// Likewise, where alpha is the share of the rejected hypotheses that are true, in the mean, of cases that are independent or positively dependent. Benjamini,
// Hochberg: Controlling the false discovery rate, Journal of the Royal Statistical Society B 57 (1995).
std::vector<double> benjamini_hochberg_adjusted(std::span<const double> p_values);

// The verdicts of cases that are judged together: faster and slower are left where Holm rejects too; else the case needs more pairs, or is
// inconclusive where it had its last look. The p-values are true ones at each look, so this may be asked after each.
std::vector<Verdict> family_verdicts(std::span<const ComparisonResult> results, double alpha);

}  // namespace hone::stats
