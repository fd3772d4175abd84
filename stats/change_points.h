// Change points of a series: the times of one case on one device with one version of a browser, run after run.
//
// E-divisive (Matteson, James: A nonparametric approach for multiple change point analysis of multivariate data, Journal of the American Statistical
// Association 109, 2014): a series is split where the energy distance between its two sides is greatest, and each side again. A t-test in place of the paper's
// permutations makes the same of a series each time (Fleming, Kołaczkowski and others: Hunter: Using change point detection to hunt
// for performance regressions, ICPE 2023); as there, a first pass splits at ten times the p-value, so that one change does not hide another, and then what its
// neighbours do not bear out is taken back, the least sure first. Departures: log-times, Welch's test, and no windows, since series are short.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"

namespace hone::stats {

// What is known to have changed before the point `at`: "browser 157", "driver 31.0".
struct KnownChange {
  size_t at = 0;
  std::string cause;
};

struct Series {
  std::vector<double> times_us;
  std::vector<KnownChange> known;  // in order; 0 < at < points; they split the series by themselves
};

struct ChangeRule {
  size_t points_min = 12;  // on each side, 2 at least
  double p_value_max = 0.001;
  double change_min = 0.03;  // as a share, ≥ 0
};

enum class Finding { kChanged, kUnchanged, kTooFewPoints };

struct ChangePoint {
  size_t at = 0;                        // the first point after the change
  std::string cause;                    // of a known one; else empty
  Finding finding = Finding::kChanged;  // of an unknown one always this
  double before_us = 0, after_us = 0;   // geometric means of the points to the change points beside it
  double change = 0;                    // after / before − 1
  double p_value = 1;                   // not adjusted for the choice of the place
};

// All known ones and those found besides, in order. kInvalidArgument where a time is not a positive finite number, a known change lies outside of the series or
// out of order, or the rule is out of its ranges; kLimitExceeded beyond kSeriesPointsMax. What it finds is a suspicion: a comparison of the two builds in turns
// confirms it.
Result<std::vector<ChangePoint>> change_points(const Series& series, const ChangeRule& rule = {});

}  // namespace hone::stats
