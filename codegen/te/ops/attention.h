// Scaled dot-product attention (Vaswani et al. 2017, "Attention is all you need", 3.2.1), with heads of keys that several heads of queries share (Ainslie et al. 2023,
// "GQA").
#pragma once
#include "base/result.h"
#include "codegen/te/builder.h"

namespace hone::te {

// Which of the scores on their way to the result is wanted, too.
enum class Scores : uint8_t { kNone, kProducts, kCapped, kMasked, kProbabilities };

// Operands: [batch, heads, sequence, features], or all of them [batch, sequence, heads · features].
struct Attention {
  Tensor query = nullptr, key = nullptr, value = nullptr;
  int64_t query_heads = 0, key_heads = 0;             // of operands of rank 3
  Tensor past_key = nullptr, past_value = nullptr;    // both or none; [batch, heads, past, features]: stand before key and value
  Tensor mask = nullptr;                              // bool: true may be seen; else added to the scores. Broadcasts to [batch, heads, queries, keys]; keys that it
                                                      // is too short for are not seen
  Tensor lengths = nullptr;                           // whole numbers [batch]: how many keys there are; without a past
  double scale = 0;                                   // of the scores; 0: 1 / √features
  double cap = 0;                                     // c · tanh(score / c); 0: none
  bool causal = false;                                // a query sees no key behind its own place
  int64_t keys_before = -1, keys_behind = -1;         // how many keys on either side of its place a query sees; −1: all
  Scores scores = Scores::kNone;
  bool present = false;                               // key and value as they are seen are wanted, also without a past
};
// A query at place i of its sequence stands at i + offset among the keys; the offset is the length of the past, or lengths − queries, or 0.
struct Attended {
  Tensor y = nullptr;  // as query, with value's features
  Tensor present_key = nullptr, present_value = nullptr;  // [batch, heads, keys, features]; null: not wanted
  Tensor scores = nullptr;                                // [batch, heads, queries, keys]; null: not wanted
};
// The reductions "scores", "max", "sum" and "Y", and Maps between them. A query that sees no key gives zeros. Fails: bad_model.
Result<Attended> attend(Builder& b, const Attention& attention);

}  // namespace hone::te
