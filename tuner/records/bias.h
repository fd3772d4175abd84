// BiasTest: whether the times of one device are biased against another's, from a sequence of log-ratios, one of each job, looked at after each of them.
//
// A sequential t-test. Let x1, x2, … be normal with mean m and an unknown standard deviation. For each m0 the Bayes factor of "the effect
// (m - m0) / sd is normal with mean 0 and sd 1" against "m = m0", with the right Haar prior on sd, is
//   B(m0) = (1 + n)^(-1/2) · ((1 + t²/(n - 1)) / (1 + t²/((n - 1)(1 + n))))^(n/2),   t = (mean - m0) / (s / √n),
// and a test martingale where m = m0: it ever reaches 1/α with a probability of α at most, however often one looks (Ville's inequality; Lai, "On
// Confidence Sequences", Annals of Statistics 4, 1976; Wang and Ramdas, "Anytime-valid t-tests and confidence sequences for Gaussian means with unknown
// variance", Sequential Analysis 44, 2025). A device is biased once B(m0) ≥ 1/α for all |m0| ≤ `allowed`: the one nearest to the mean is the least
// of them. So a device that differs by less than that is found biased with a probability of α at most; the noise is what the ratios themselves show.
// Wald's test of two means ("Sequential Tests of Statistical Hypotheses", 1945) would need to know the noise before, which an agent could claim.
#pragma once
#include <cmath>

namespace hone::tuner {

inline const double kBiased = std::log(1.1);      // the least bias that must be found: a tenth, as samples of one candidate agree within
// What two honest devices of a class may differ by, beside what their reference kernels tell (policy) …
inline const double kAllowed = kBiased / 4;
// … and where one of the two times made its kernel the best of several: it is lower by chance then, by one standard deviation of the best of four
// (order statistics of the normal distribution), and medians of nine samples that agree within a tenth have one of less than that.
inline const double kAllowedOfBest = kBiased / 2;
inline constexpr double kFalseFlagsMax = 0.01;    // of honest devices, over all the times that they are looked at

class BiasTest {
 public:
  void add(double log_ratio);
  int count() const { return count_; }
  double mean() const { return mean_; }
  // alpha: the share of honest pairs that may be found biased, ever.
  bool is_biased(double allowed = kAllowed, double alpha = kFalseFlagsMax) const;

 private:
  double log_bayes_factor(double mean_of_none) const;

  int count_ = 0;
  double mean_ = 0, squares_ = 0;  // squares_: the sum of (x - mean)², by Welford's recurrence
};

}  // namespace hone::tuner
