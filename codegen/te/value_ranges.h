// Which numbers a task's inputs are filled with when a kernel is compared with the reference: those on which its operators are defined, and
// otherwise all that its types hold, so that overflow, signs and the ends of a type are met.
#pragma once
#include <optional>
#include <vector>

#include "base/value_range.h"
#include "codegen/te/program.h"

namespace hone::te {

// Per input of the program. By what its elements are used for, the first of these that applies:
//   an index of a tensor of extent n           [-n, n - 1]
//   a logarithm's, root's or power's argument,
//   a divisor, or a term or factor of one      [0.25, 2.25), on both sides of 1, where logarithms change their sign; whole numbers [1, 15], so
//                                              that a quotient of 8 bits is seldom 0
//   another function's argument                whole numbers [-8, 7] or [0, 15], of which exp is finite
//   a number of 8 or 16 bits                   all of that type
//   any other use                              [-1, 1) but for (-0.25, 0.25); whole numbers: all of 32 bits
//   only compared with what is known to lie in [a, b]   whole numbers [a - 1, b + 1]
std::vector<ValueRange> input_ranges(const Program& program);

// The numbers at which the elements of an output saturate: the ends of the 8- or 16-bit type from which it is widened. Null: of none.
std::optional<ValueRange> saturation_of(const Program& program, Tensor output);

}  // namespace hone::te
