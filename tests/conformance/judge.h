// What a subject's kernels must compute.
#pragma once
#include <string>
#include <string_view>

#include "tests/conformance/subject.h"

namespace hone::conformance {

// Appends to the values the outputs that the interpreter makes of the yardstick schedule's loops, whose arithmetic is that of the tensors'
// types, and sets the tolerance that the operator owes. Where all inputs are ordinary, te::evaluate, which knows neither loops nor rounding,
// must agree. Failures end the program.
void judge(Subject& subject, const Operator& op);

// "" if the elements of a tensor, as stored, are as expected.
std::string difference(const ir::TensorValue& expected, const unsigned char* found, const Tolerance& tolerance);

// The same of a tensor that is stored in a layout; bytes behind it count for nothing.
std::string stored_difference(const ir::TensorValue& expected, std::string_view stored, const ir::Layout& layout,
                              const Tolerance& tolerance);

}  // namespace hone::conformance
