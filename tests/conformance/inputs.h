// Random inputs of a task, with the special values that its operator defines.
#pragma once
#include <vector>

#include "codegen/ir/tensor_value.h"
#include "codegen/te/task.h"
#include "tests/conformance/operators.h"

namespace hone::conformance {

// model_types: of each input as the model has it (truth is 0 or 1 in u32). special: some elements are what op.values names, and extreme
// whole numbers: a third of a small task's, a few of a reduction's, so that some of its results stay ordinary.
std::vector<ir::TensorValue> random_inputs(const te::Task& task, const std::vector<ir::DType>& model_types,
                                           const Operator& op, bool special, uint64_t seed);

}  // namespace hone::conformance
