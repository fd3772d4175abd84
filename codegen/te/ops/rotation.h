// Rotary position embedding: pairs of numbers turned by angles that follow from their position.
#pragma once
#include "base/result.h"
#include "codegen/te/builder.h"

namespace hone::te {

struct Rotation {
  int64_t head = 0;          // numbers of one head: of x's last dimension, which of rank 3 holds all heads
  int64_t rotated = 0;       // the first of them that are turned; the others stay
  bool interleaved = false;  // pairs are neighbours; else they lie half of `rotated` apart
  Tensor cosines = nullptr, sines = nullptr;  // [positions, rotated / 2], or without `positions` [batch, sequence, rotated / 2]
  Tensor positions = nullptr;                 // [batch, sequence], whole numbers; one outside of the table takes its nearest row. Null: there are none
};

// x: [batch, heads, sequence, head] or [batch, sequence, heads · head]. (Su et al. 2021, RoFormer, section 3.2.) The Map "Y". Fails: bad_model.
Result<Tensor> rotate(Builder& b, Tensor x, const Rotation& r);

}  // namespace hone::te
