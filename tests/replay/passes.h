// Passes of measurements over a declared sub-space, and what they say together.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/measure/recording.h"

namespace hone::replay {

inline const std::string kNaive = "naive";  // the yardstick's name among the choices

struct Measured {
  ErrorCode outcome = ErrorCode::kInternal;
  double latency_us = 0;
  int samples = 0;
  double reference_us = 0;  // of the agent's fixed kernel beside it; 0 = not measured
  double create_ms = 0;
};

using Pass = std::map<std::string, Measured, std::less<>>;  // by choice

// Makes each time of the last pass what it would be had the reference kernel taken the first pass's usual time beside it: what else the machine
// does slows both.
void normalise(std::vector<Pass>& passes);

struct Combined {
  ErrorCode outcome = ErrorCode::kInternal;
  double latency_us = 0;  // the median of the passes in which it has a time
  double create_ms = 0;   // likewise
  int samples = 0;        // of all passes
  int times = 0;          // passes with a time
  tuner::RecordedKernel kernel() const;
};

// Of a kernel that has several choices, whichever of them was measured.
Combined combine(const std::vector<Pass>& passes, const std::vector<std::string>& choices);

}  // namespace hone::replay
