// The meaning of a tensor program by plain loops: the oracle of tests, and what folds constants.
#pragma once
#include <vector>

#include "codegen/te/program.h"

namespace hone::te {

// inputs[i]: program.inputs[i] in logical row-major order; the result likewise for program.outputs. Everything is computed in f64 without
// rounding to the narrower float types; integers keep the meaning of their type (wrap, floor division), 64-bit ones only below 2^53.
// Needs: verify_te holds (an access out of bounds is our bug: CHECK).
std::vector<std::vector<double>> evaluate(const Program& program, const std::vector<std::vector<double>>& inputs);

}  // namespace hone::te
