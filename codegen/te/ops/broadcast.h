// NumPy broadcasting of shapes and indices, and shapes as text for messages.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "codegen/te/builder.h"

namespace hone::te {

// The most elements a tensor may have: an element's position is an `index` of 32 bits.
inline constexpr int64_t kExtentMax = 2147483647;

std::string shape_text(const Shape& shape);  // "1x64x56x56"; "scalar" for rank 0
// Dimensions are aligned from the last; equal, or one of them 1. Fails: bad_model.
Result<Shape> broadcast_shapes(const Shape& a, const Shape& b);
// The index into a tensor of shape `shape` for the element `index` of the broadcast result: aligned from the last, 0 where the extent is 1.
std::vector<Sym> broadcast_index(Builder& b, const std::vector<Sym>& index, const Shape& shape);

}  // namespace hone::te
