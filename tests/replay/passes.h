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
  double latency_us = 0;  // the least of its samples: what else the machine does only adds to a time
  int samples = 0;
  double create_ms = 0;
};

using Pass = std::map<std::string, Measured, std::less<>>;  // by choice

// The passes as if the machine had been equally fast in all, as the first: each pass's times relative to those of the same kernels in the others are
// taken out (median polish on ratios; Tukey 1977, chapter 11). A pass of fewer than kLevelMin kernels with a time stays as it is.
std::vector<Pass> levelled(const std::vector<Pass>& passes);
inline constexpr size_t kLevelMin = 4;

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
