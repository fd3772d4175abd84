// How far a tensor is from its reference.
#pragma once
#include "codegen/graph/graph.h"

namespace hone::package {

inline constexpr double kModelErrorMax = 1e-4;  // a model's output that is further off is wrong

// max|y − r| / max|r| over finite r; the plain difference where every r is 0. Infinite where a number and no number meet, or infinities of
// different sign, and of other shapes.
double relative_error(const graph::ConstantTensor& y, const graph::ConstantTensor& reference);

}  // namespace hone::package
