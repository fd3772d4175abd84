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

// Times that differ by less are the same time. A processor of which other work takes a share for all of an attempt is slower by 1.5 and more.
inline constexpr double kSameTime = 1.1;

struct Combined {
  ErrorCode outcome = ErrorCode::kInternal;
  double latency_us = 0;  // the median of the passes whose time is the least one, as kSameTime says
  double create_ms = 0;   // the median of the passes in which it has a time
  int samples = 0;        // of all passes
  int times = 0;          // passes with a time
  int confirmed = 0;      // passes of which latency_us is the median
  tuner::RecordedKernel kernel() const;
};

// Of a kernel that has several choices, whichever of them was measured.
Combined combine(const std::vector<Pass>& passes, const std::vector<std::string>& choices);

// The kernels of the next pass, by place: those of which no two times agree (until there are five), the fastest until each of the first 20 has ten
// times, and with them what has no time yet; all at first, none at last.
std::vector<size_t> next_pass(const std::vector<Combined>& now);

}  // namespace hone::replay
