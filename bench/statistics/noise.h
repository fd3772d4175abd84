// What a device does to times: drift, tails, other work, heat, a coarse clock, and tabs that differ. Seeded; one seed gives the same times on every machine.
#pragma once
#include <boost/random/exponential_distribution.hpp>
#include <boost/random/mersenne_twister.hpp>
#include <boost/random/normal_distribution.hpp>
#include <boost/random/student_t_distribution.hpp>
#include <boost/random/uniform_01.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace hone::bench {

// A run is the times of one comparison.
struct NoiseTraits {
  std::string name;
  // Deviation of a time, as a share.
  double cv = 0.01;
  // Student's t with 3 degrees of freedom in place of the normal distribution, with the same deviation.
  bool heavy_tails = false;
  // By what share times grow, evenly, over a run.
  double drift = 0;
  // Other work: each burst lasts some samples, three in the mean, which take 1.2 to 2 times as long.
  double bursts_per_sample = 0;
  // Once in a run the device becomes 1.3 to 2.5 times as slow, for 60 samples in the mean; in half of the runs to and fro, with a period of 3 to 9 samples.
  bool throttles = false;
  // 0: times are real numbers. Else a sample is repeated until it lasts 50 steps, and read in steps.
  double clock_step_us = 0;
  // Deviation of what a fresh tab does to each of the two builds for the length of a block, as a share.
  double tab_effect = 0;
  // Times of one loop, which a run goes through from some place on; with the traits above.
  std::vector<double> recorded;
};

class Noise {
 public:
  // Of a run of so many times.
  Noise(const NoiseTraits& traits, uint64_t seed, int samples);
  // A block begins: a fresh tab.
  void open_tab();
  // What a device says of a kernel that takes `true_us` in the build 0 or 1, or of the reference kernel, 2, at the next moment of the run.
  double time_us(double true_us, int build);
  bool coin() { return uniform() < 0.5; }
  double uniform() { return boost::random::uniform_01<double>()(random_); }

 private:
  double slowdown();
  double burst();
  double heat() const;
  double jitter();
  double read(double us);

  const NoiseTraits& traits_;
  boost::random::mt19937_64 random_;
  boost::random::normal_distribution<double> normal_;
  boost::random::student_t_distribution<double> t3_{3};
  size_t recorded_at_ = 0;
  int samples_, sample_ = 0, burst_left_ = 0;
  double burst_slowdown_ = 1;
  double throttle_from_ = 0, throttle_samples_ = 0, throttle_slowdown_ = 1, throttle_period_ = 0;
  double tab_[3] = {0, 0, 0};
};

}  // namespace hone::bench
