// The meaning of a tensor program by plain loops: the oracle of tests, and what folds constants.
#pragma once
#include <vector>

#include "base/cancel.h"
#include "codegen/te/program.h"

namespace hone::te {

// inputs[i]: program.inputs[i] in logical row-major order; the result likewise for program.outputs. Everything is computed in f64 without
// rounding to the narrower float types; integers keep the meaning of their type (wrap, floor division), 64-bit ones only below 2^53.
// Needs: verify_te holds (an access out of bounds is our bug: CHECK).
std::vector<std::vector<double>> evaluate(const Program& program, const std::vector<std::vector<double>>& inputs);
// The same, ended by `cancel` (may be null) within some thousand elements. Fails: cancelled.
Result<std::vector<std::vector<double>>> evaluate(const Program& program, std::vector<std::vector<double>> inputs,
                                                  const CancelToken* cancel);

// What evaluate takes for a program: nodes of expressions that it visits, and elements that it holds, inputs included.
struct EvaluationCost {
  double nodes = 0, elements = 0;
};
EvaluationCost evaluation_cost(const Program& program);

}  // namespace hone::te
