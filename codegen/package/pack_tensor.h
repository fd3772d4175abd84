// Tensors between the model's own form (row-major, ONNX's types) and a device's (a layout, types that kernels store).
#pragma once
#include <string>
#include <string_view>

#include "codegen/graph/graph.h"

namespace hone::package {

inline constexpr int64_t kElementBytes = 4;  // of every type that a task's arguments have: f32, i32, u32

// The elements as another type; whole numbers outside of its range saturate. The tensor itself when the types are equal.
graph::ConstantTensor converted(const graph::ConstantTensor& tensor, ir::DType dtype);
// Fails: limit_exceeded with the first element that `dtype` cannot hold; only whole numbers are looked at.
Status check_range(const graph::ConstantTensor& tensor, ir::DType dtype);

// Row-major elements to the order of the layout; physical elements that hold no logical one are zero. And back.
std::string to_physical(std::string_view row_major, const ir::Shape& shape, const ir::Layout& layout,
                        int64_t element_bytes = kElementBytes);
std::string from_physical(std::string_view physical, const ir::Shape& shape, const ir::Layout& layout);
int64_t physical_bytes(const ir::Shape& shape, const ir::Layout& layout, int64_t element_bytes = kElementBytes);

// From a tensor to what lies in a device's buffer, whose type is `stored`; and back to the model's type. Constants may be stored as f16.
std::string pack(const graph::ConstantTensor& tensor, ir::DType stored, const ir::Layout& layout);
graph::ConstantTensor unpack(std::string_view physical, ir::DType stored, const ir::Layout& layout, ir::DType dtype,
                             const ir::Shape& shape);

}  // namespace hone::package
