#include "tests/conformance/operators.h"

#include <algorithm>

#include "base/cat.h"
#include "base/check.h"

namespace hone::conformance {

std::vector<Operator> all_operators() {
  std::vector<Operator> all;
  for (const auto& part : {product_operators(), elementwise_operators(), reduction_operators(), movement_operators(), attention_operators(), recurrent_operators(), scatter_operators(),
                           signal_operators()})
    all.insert(all.end(), part.begin(), part.end());
  std::sort(all.begin(), all.end(), [](const Operator& a, const Operator& b) { return a.op < b.op; });
  return all;
}

std::vector<Operator> operators_named(std::string_view name) {
  std::vector<Operator> all = all_operators();
  if (!name.empty()) std::erase_if(all, [&](const Operator& op) { return op.op != name; });
  CHECK(!all.empty(), cat("no operator is named ", name));
  return all;
}

}  // namespace hone::conformance
