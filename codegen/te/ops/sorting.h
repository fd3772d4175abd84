// Operators that put elements in order.
#pragma once
#include "base/result.h"
#include "codegen/te/builder.h"

namespace hone::te {

struct Best {
  int64_t axis = 0;   // ≥ 0
  int64_t count = 1;  // of the elements along it
  bool largest = true;
};
struct Chosen {
  Tensor values = nullptr, places = nullptr;  // as x, with `count` elements along the axis; places as i64
};
// The largest (or smallest) elements along one dimension in order, of equals the first ones. An element's rank is how many go before it: n² comparisons for n elements.
// Fails: bad_model.
Result<Chosen> best_of(Builder& b, Tensor x, const Best& best);

}  // namespace hone::te
