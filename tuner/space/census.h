// Census: how much of a space there is, and what becomes of the rest. Small spaces are looked at whole; of large ones a fixed number of
// assignments is drawn evenly, from a fixed seed, and the numbers are estimates. Deterministic.
#pragma once
#include <string>
#include <vector>

#include "tuner/space/space.h"

namespace hone::tuner {

struct CensusLimits {
  double whole_max = 8000;  // assignments up to which all are looked at
  int drawn = 30000, traced_max = 2000;
};

struct Pruned {
  std::string reason;  // "workgroup memory above 16384 bytes"
  double share = 0;    // of the assignments that repair leaves
};

struct Census {
  double assignments = 0;      // before anything is dropped
  double repaired = 0;         // of these, those that repair leaves as they are
  double legal = 0;            // of these, those with a legal schedule
  int drawn = 0, traced = 0;   // 0 where all were looked at: nothing is estimated
  std::vector<Pruned> pruned;  // the greatest share first
};

Census take_census(const Space& space, const CensusLimits& limits = {});

}  // namespace hone::tuner
