// The tasks of which wrong kernels are made.
#pragma once
#include <string>
#include <vector>

#include "codegen/te/task.h"

namespace hone::kernel_mutants {

struct Case {
  std::string type;  // "f32", "f16", "8 bits", "i32": of what it computes with
  te::Task task;
};
// Small tasks of the conformance tests' operators, of odd shapes; no task twice, those of one type one after the other.
std::vector<Case> all_cases();

}  // namespace hone::kernel_mutants
