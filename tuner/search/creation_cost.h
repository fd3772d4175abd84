// CreationCost: which choices make a kernel expensive to create on this device, learnt from what was created. On a software adapter a
// kernel with barriers takes up to 1.5 s to create where others take 0.1 s, and creation is most of a trial there.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tuner/space/space.h"

namespace hone::tuner {

class CreationCost {
 public:
  // A kernel of these choices took so long to create; 0 = unknown, ignored.
  void observe(const Space& space, const Assignment& assignment, double create_ms);
  // True when one of the choices goes with several times the usual time. Never before some kernels with that choice were seen, and never
  // for choices of `proven`, an assignment that is fast enough to be worth it.
  bool is_costly(const Space& space, const Assignment& assignment, const Assignment* proven) const;

 private:
  using Choice = std::pair<std::string, int64_t>;  // key and value: roles, the same for every task
  std::vector<double> all_ms_;                     // ascending
  std::map<Choice, std::vector<double>> by_choice_;
};

}  // namespace hone::tuner
