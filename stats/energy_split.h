// Where the two sides of a series of numbers differ most.
#pragma once
#include <cstddef>
#include <span>

namespace hone::stats {

// The place (the first value of the right side, with `side_min` values or more on each side; 2 ≤ side_min, 2 side_min ≤ values; CHECKed) at which the scaled
// energy distance of the two sides is greatest: of Matteson and James (2014; change_points.h), with exponent 1. The time grows with the square of the values.
size_t energy_split(std::span<const double> values, size_t side_min);

}  // namespace hone::stats
