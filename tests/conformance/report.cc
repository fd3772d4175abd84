#include "tests/conformance/report.h"

#include <algorithm>
#include <climits>
#include <cstdio>

namespace hone::conformance {

void Report::count(const Operator& op, const std::vector<Subject>& subjects) {
  cases[op.op] += !subjects.empty();
  tasks += static_cast<int>(subjects.size());
  for (const Subject& subject : subjects) empty += has_no_results(subject);
}

void Report::print(const char* target) const {
  for (const auto& [reason, times] : omissions) std::printf("left out %d: %s\n", times, reason.c_str());
  int total = 0, fewest = INT_MAX;
  for (const auto& [op, count] : cases) total += count, fewest = std::min(fewest, count);
  std::printf("%s: %zu operators, %d cases (at least %d each), %d tasks (%d of results without elements), %d kernels\n",
              target, cases.size(), total, fewest, tasks, empty, kernels);
}

}  // namespace hone::conformance
