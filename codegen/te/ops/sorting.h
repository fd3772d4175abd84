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

// Elements in order within runs of `run` along one dimension (the last run may be shorter), and the places (i64) that belong to them.
struct Runs {
  Tensor values = nullptr, places = nullptr;
  int64_t axis = 0;  // ≥ 0
  int64_t run = 1;
  bool largest = true;
};
// Each two runs become one: the larger (or smaller) elements first, of equals those of the first run. An element of the result looks for the number of those
// before it that come from the first run (Odeh, Green, Mwassi, Shmueli, Birk 2012, "Merge Path", section 2). Fails: bad_model.
Result<Chosen> merge_runs(Builder& b, const Runs& runs);

}  // namespace hone::te
