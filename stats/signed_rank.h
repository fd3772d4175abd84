// SignedRank: Wilcoxon's signed-rank test, and what Hodges and Lehmann made of it: an estimate of the centre of some values, and its interval.
//
// It takes of the values only that each is as probable on one side of the centre as as far on the other, which the coin of a Quad sees to; not that they are
// normal, nor that they scatter alike. The levels are exact for any number of values; where values are equal (a coarse clock) they are kept, not reached.
// Hollander, Wolfe, Chicken: Nonparametric Statistical Methods, 3rd edition (2014), sections 3.1 to 3.3. Up to 29 % of the values may be anything.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "stats/interval.h"

namespace hone::stats {

class SignedRank {
 public:
  // 1 to kBlocksMax finite values; CHECKed.
  explicit SignedRank(std::span<const double> values);

  size_t count() const { return count_; }
  // The median of the means of all pairs of values (Walsh averages), each with itself too.
  double estimate() const;
  // Has the centre in it with a probability of at least 1 − alpha; infinite where there are too few values: below alpha = 2^(1 − count).
  Interval interval(double alpha) const;
  // How probable values are that speak at least as much against a centre at 0, to either side.
  double p_value() const;
  // Of the estimate: the interval that a normal distribution would have, divided by that distribution's; infinite with fewer than four values.
  double standard_error() const;

 private:
  size_t count_;
  std::vector<double> walsh_averages_;  // in order
  // [w]: how probable it is that up to w Walsh averages lie on the far side of the centre; the lower half.
  std::vector<double> cumulative_;
};

}  // namespace hone::stats
