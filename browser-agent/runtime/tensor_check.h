// The two things that the agent does with tensors: fill inputs by position, compare outputs with the reference.
#pragma once
#include <cstdint>

#include "base/value_range.h"
#include "browser-agent/runtime/physical_walk.h"

namespace hone::runtime {

// What fills outputs before a check: a quiet NaN with a payload that no arithmetic makes. Still there afterwards = never written.
constexpr uint32_t kPoisonBits = 0x7fdeadedu;

enum class Element : int32_t { kF32 = 0, kI32 = 1, kU32 = 2 };

// Writes real_at(range, seed, logical index), of whole numbers whole_at, to each element and pad_bits to each pad element.
// out: physical_elements() words.
void fill(const TensorView& view, Element element, ValueRange range, uint64_t seed, uint32_t pad_bits, uint32_t* out);

// Magnitudes of a reference's elements of f32 (schema: expected_output); unused for whole numbers.
struct Magnitudes {
  double largest = 0, median = 0;
};

struct Comparison {
  // Of f32: the largest |y − r| / min(largest, 8·max(|r|, median)), or |y − r| where all of the reference is 0. Infinite where y is not what a NaN or an
  // infinity of the reference is, or is one where the reference is none; and where a whole number differs.
  double max_error = 0;
  int64_t unwritten = 0;     // logical elements (pad elements too, when they must be zero) that still hold kPoisonBits
  int64_t worst_index = -1;  // logical linear index of the largest error
  int64_t nonzero_pads = 0;  // pad elements that are neither zero nor poison; counted only when pads must be zero
};

// physical: the elements as the device wrote them, in the view's layout. expected: logical row-major, of the same type; where it is
// kUnspecifiedBits (base/unspecified.h), any finite value that was written is right.
Comparison compare(const TensorView& view, Element element, const uint32_t* physical, const uint32_t* expected,
                   Magnitudes magnitudes, bool pads_are_zero);

}  // namespace hone::runtime
