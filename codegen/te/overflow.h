// Whether whole numbers of 64 bits, which devices compute in 32, leave them: what a program computes beside the one that it is asked of.
#pragma once
#include <unordered_map>

#include "codegen/te/builder.h"
#include "codegen/te/intervals.h"

namespace hone::te {

// Appends, for the Computes from `first` on, Computes that give one tensor [1] of i32: `number` (at least 1) where a whole number of 64 bits that is stored, or used
// by what is no sum or product, is not within what devices hold of it, else 0 or less. Of the Computes from `first` on only those that it reads are left. inputs: what is known
// of tensors that they read. Null, and nothing appended: it cannot happen.
// Sums are told by f32 with its error: one that is within may be taken for one that is not where its terms' sizes add up to 2⁵³ and more; never the other way round.
Tensor overflow(Builder& b, size_t first, const std::unordered_map<Tensor, Interval>& inputs, int64_t number);

}  // namespace hone::te
