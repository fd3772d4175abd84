// What a run tried and what it left out.
#pragma once
#include <string_view>

#include "tests/conformance/subject.h"

namespace hone::conformance {

struct Report {
  std::map<std::string_view, int> cases;  // per operator
  int tasks = 0, empty = 0, kernels = 0;  // empty: tasks of results without elements, which have no kernel
  Omissions omissions;

  void count(const Operator& op, const std::vector<Subject>& subjects);
  void print(const char* target) const;
};

}  // namespace hone::conformance
