// Which elements are kept, where only contents tell: places that fulfil a condition, rows that differ, boxes that no better one covers. Results have the size of the most that may
// be kept, and a count says how many of them are.
#pragma once
#include "base/result.h"
#include "codegen/te/builder.h"
#include "codegen/te/ops/elementwise.h"

namespace hone::te {

// The places where x ([n]) is not 0, ascending. places: [n] i64, of which the first `count` ([1] i64) are kept; those behind are valid places, and mean nothing.
struct Places {
  Tensor places = nullptr, count = nullptr;
};
Result<Places> places_where(Builder& b, Tensor x);

// The different rows of x ([n, d]), in the order of their first occurrence, or sorted by their elements, the first one first. Elements that equal nothing (NaN) are in no row.
struct Distinct {
  Tensor source = nullptr;   // [n] i64: where each first occurs; the first `count` are kept, those behind are valid places
  Tensor inverse = nullptr;  // [n] i64: of each row of x its place among the different ones
  Tensor times = nullptr;    // [n] i64: how often each occurs
  Tensor count = nullptr;    // [1] i64
};
Result<Distinct> distinct_rows(Builder& b, Tensor x, bool sorted);

// The score of a box that is gone: the lowest f32. An infinity may mean nothing on a device.
inline constexpr double kGoneScore = -3.4028234663852886e38;

// One step of non-maximum suppression by hard overlaps (Felzenszwalb et al. 2010, "Object detection with discriminatively trained part-based models", 6.2): the best box that is
// left of each class is taken, and what covers more of the union with it than `overlap_max` goes.
struct Suppression {
  Tensor boxes = nullptr;  // [batch, n, 4]: two opposite corners y x y x, or centre and size x y w h
  Tensor left = nullptr;   // [batch, classes, n]: f32 scores; kGoneScore for what is gone
  Operand overlap_max;     // one number
  bool centred = false;
};
struct Suppressed {
  Tensor left = nullptr;
  Tensor taken = nullptr;  // [batch, classes, 1] i64: a place in [0, n), or −1 where none was left
};
// Fails: bad_model. So do all above.
Result<Suppressed> suppress_step(Builder& b, const Suppression& s);

}  // namespace hone::te
