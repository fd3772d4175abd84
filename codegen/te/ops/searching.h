// Operators that find a place among ordered elements.
#pragma once
#include <functional>

#include "base/result.h"
#include "codegen/te/builder.h"

namespace hone::te {

// A place in [0, extent), whatever the number is; 0 where there is none.
Sym place_in(Sym number, int64_t extent);

// For each element of `shape`, how many of the numbers 0, 1, …, most − 1 that are less than `bound` there (null: all of them) `holds` is true of, where it is true of none behind the first that
// it is not true of: a search that looks at kSearchWays places at once, each time in a Compute of its own. i32. `holds` is also asked for numbers up to 2 · most; what it loads lies in
// bounds for any. Where it is not as said the result is some number in [0, 2 · most].
// Four ways take as many looks as two, in half as many Computes; eight take a third more.
inline constexpr int64_t kSearchWays = 4;
struct Search {
  int64_t most = 0;
  std::function<Sym(const std::vector<Sym>& at)> bound;
  std::function<Sym(const std::vector<Sym>& at, Sym number)> holds;
};
Tensor count_while(Builder& b, const Shape& shape, const Search& search);

// Of keys that ascend along `axis` (≥ 0), as many elements there as `extent`: the pth is where the last key that is p lies.
struct Found {
  Tensor place = nullptr;  // i64; some place where there is none
  Tensor there = nullptr;  // bool
};
// Fails: bad_model.
Result<Found> find_last(Builder& b, Tensor keys, int64_t axis, int64_t extent);

}  // namespace hone::te
