// NumPy's .npy files, as tensors. Little-endian arrays of numbers in C order; format 1.0 to 3.0 is read, 1.0 written
// (numpy.lib.format's documentation).
#pragma once
#include <string>
#include <string_view>

#include "codegen/graph/graph.h"

namespace hone::cli {

// Fails: parse_error (no such file, damaged), unsupported (big-endian, Fortran order, other element types), each with the remedy.
Result<graph::ConstantTensor> tensor_from_npy(std::string_view bytes);
// Of a type that NumPy does not have, as ir::caller_type says.
std::string npy_from_tensor(const graph::ConstantTensor& tensor);

}  // namespace hone::cli
