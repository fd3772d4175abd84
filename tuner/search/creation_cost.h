// CreationCost: how long a device takes to create a kernel, by how many operations it has; learnt from what was created. Where drivers compile in
// software that is most of a trial: a line through all of them tells half of the differences, other work and neighbours are the rest.
#pragma once
#include <cstdint>
#include <vector>

namespace hone::tuner {

class CreationCost {
 public:
  // A kernel of so many straight-line operations took so long to create; 0 = unknown, ignored.
  void observe(int64_t operations, double create_ms);
  // How many times the usual time a kernel will take, 1 to 8: one kernel that took minutes by accident rules out no others. 1 before some kernels were seen, and for kernels no larger than the fastest, of
  // `operations_of_best` (0 = there is none).
  double times_usual(int64_t operations, int64_t operations_of_best) const;

 private:
  double predict_ms(int64_t operations) const;

  std::vector<double> all_ms_;  // ascending
  double operations_ = 0, ms_ = 0, operations_squared_ = 0, operations_ms_ = 0;  // sums
};

}  // namespace hone::tuner
