// Values between the elements of a tensor: sums of the elements around, each with its weight.
#pragma once
#include <vector>

#include "base/result.h"
#include "codegen/te/builder.h"

namespace hone::te {

// An element along one dimension that takes part.
struct Tap {
  Sym index, weight;
  bool weighted = true;  // false: the weight is 1
};

// Fails: unsupported when one element of the result would be made of too many.
Status check_taps(const std::vector<std::vector<Tap>>& taps);
// The sum of x over the taps of all dimensions, each times its weights. Needs: a list for each of x's dimensions, every index in bounds.
Sym blended(Builder& b, Tensor x, const std::vector<std::vector<Tap>>& taps);

// Weight at distance d of the cubic convolution kernel with parameter a (Keys 1981, eq. 4): |d| ≤ 1, and 1 < |d| < 2.
Sym cubic_near(Sym d, double a);
Sym cubic_far(Sym d, double a);

// The nearest index in [0, extent).
Sym clamped(Sym at, int64_t extent);

}  // namespace hone::te
