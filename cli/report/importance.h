// What each decision of a space explains of the times of its schedules.
#pragma once
#include <string>
#include <vector>

#include "tuner/records/store.h"

namespace hone::report {

struct Importance {
  std::string decision;    // its key
  double share = 0;        // of the variance of log time, 0 to 1
  std::string best_value;  // whose times have the least geometric mean
};

// One decision at a time, read from the words of the traces. What as many values without effect would explain by chance is taken off; what
// is left of several decisions may overlap. The most important first; decisions that never varied, and trials without a time, are left out.
std::vector<Importance> decision_importance(const std::vector<tuner::KnownTrial>& trials);

}  // namespace hone::report
