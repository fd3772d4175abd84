// The schedules that a subject is compiled by.
#pragma once
#include <string>
#include <vector>

#include "codegen/schedule/trace.h"
#include "tests/conformance/subject.h"

namespace hone::conformance {

struct Scheduled {
  const char* source;  // "yardstick", "sample", "seed", "random"
  schedule::Trace trace;
};

// The yardstick, and one more that differs from case to case: of the tuner's own space for the target (a seed or a sample), or, on cores, a random
// legal trace; where the space is refused, the latter, which is noted.
std::vector<Scheduled> schedules_of(const Subject& subject, int number, const target::Target& target,
                                    Omissions& omissions);

}  // namespace hone::conformance
