// The same elements under another shape.
#pragma once
#include "base/result.h"
#include "codegen/te/builder.h"

namespace hone::te {

// The Map "view": x in row-major order under `shape`. Dimensions that both shapes share (leaving out extents of 1) are indexed as they
// are; only what is really merged or split needs division. Fails: bad_model when the numbers of elements differ.
Result<Tensor> reshape(Builder& b, Tensor x, const Shape& shape);

}  // namespace hone::te
