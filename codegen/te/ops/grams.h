// How often sequences of whole numbers occur in others.
#pragma once
#include "base/result.h"
#include "codegen/te/builder.h"

namespace hone::te {

inline constexpr int64_t kGramMax = 16;

enum class GramWeight : uint8_t { kCount, kPresence, kWeightedCount };

struct Grams {
  Tensor pool = nullptr;     // [grams, longest], of x's type; what lies behind a gram's length does not count
  Tensor lengths = nullptr;  // i64 [grams]; 0: none
  Tensor weights = nullptr;  // f32 [grams]
  int64_t skips_max = 0;     // elements between two of a gram, at most; the same number between all
  GramWeight weight = GramWeight::kCount;
};
// y[…, g]: in each row of x: […, n] the occurrences of gram g, or its weight where it occurs, or both multiplied. A gram of one element is counted without skips.
// At most kGramMax numbers of a gram: each is a term of one expression. The reductions "counts" and the Map "Y", of f32. Fails: bad_model.
Result<Tensor> counted_grams(Builder& b, Tensor x, const Grams& grams);

}  // namespace hone::te
