// What has come together up to each element.
#pragma once
#include "base/result.h"
#include "codegen/te/builder.h"

namespace hone::te {

struct Cumulation {
  int64_t axis = 0;        // ≥ 0
  bool exclusive = false;  // the element itself does not count
  bool reverse = false;    // from the end
  Fold fold = Fold::kSum;  // or kProduct
};
// y[…, i, …] = the fold of x[…, j, …] over j ≤ i. Blocks are folded, then cumulated in the same way, then joined with what comes before within a block (Blelloch 1990,
// "Prefix sums and their applications", 1.3): n · block steps for n elements, at most. Fails: bad_model.
Result<Tensor> cumulate(Builder& b, Tensor x, const Cumulation& c);

}  // namespace hone::te
