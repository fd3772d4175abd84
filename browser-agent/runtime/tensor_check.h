// The two things that the agent does with tensors: fill inputs by position, compare outputs with the reference.
#pragma once
#include <cstdint>

#include "browser-agent/runtime/physical_walk.h"

namespace hone::runtime {

// What fills outputs before a check: a quiet NaN with a payload that no arithmetic makes. Still there afterwards = never written.
constexpr uint32_t kPoisonBits = 0x7fdeadedu;

enum class Element : int32_t { kF32 = 0, kI32 = 1, kU32 = 2 };

// Writes uniform_at(seed, logical index), of whole numbers whole_at, to each element and pad_bits to each pad element.
// out: physical_elements() words.
void fill(const TensorView& view, Element element, uint64_t seed, uint32_t pad_bits, uint32_t* out);

struct Comparison {
  double max_error =
      0;  // max|y − r| / max|r|; infinite where y or the difference is no finite number, or a whole number differs
  double max_reference = 0;  // max|r|
  int64_t unwritten = 0;     // logical elements (pad elements too, when they must be zero) that still hold kPoisonBits
  int64_t worst_index = -1;  // logical linear index of the largest error
  int64_t nonzero_pads = 0;  // pad elements that are neither zero nor poison; counted only when pads must be zero
};

// physical: the elements as the device wrote them, in the view's layout. expected: logical row-major, of the same type; where it is
// kUnspecifiedBits (base/unspecified.h), any finite value that was written is right.
Comparison compare(const TensorView& view, Element element, const uint32_t* physical, const uint32_t* expected,
                   bool pads_are_zero);

}  // namespace hone::runtime
