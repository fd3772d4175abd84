// TensorValue: the elements of a tensor for interpreter and evaluators, exact for every scalar type. Not for speed.
#pragma once
#include <vector>

#include "codegen/ir/layout.h"
#include "codegen/ir/type.h"

namespace hone::ir {

struct TensorValue {
  DType dtype = DType::kF32;
  Shape shape;
  std::vector<double> real;    // float types: element_count(shape) values, row-major, each a value of dtype
  std::vector<int64_t> whole;  // all other types (bool: 0 or 1)
  size_t size() const { return is_float(dtype) ? real.size() : whole.size(); }
};

TensorValue make_tensor(DType dtype, Shape shape);                // zeros
TensorValue make_tensor(Shape shape, std::vector<float> values);  // f32
TensorValue uniform_tensor(DType dtype, Shape shape,
                           uint64_t seed);  // floats: uniform_at; integers: whole numbers in [-8, 8) or [0, 16)

// Logical row-major elements to the physical order of a layout, as a tensor of the physical shape, and back. Elements of the physical
// tensor that hold no logical one become NaN (integers: a conspicuous number) for Pad::kAny and zero for Pad::kZero.
TensorValue to_physical(const TensorValue& logical, const Layout& layout);
TensorValue from_physical(const TensorValue& physical, const Shape& shape, const Layout& layout);

// The elements as values of another float type, each the nearest, ties to even; the tensor itself where the types are equal.
TensorValue rounded(const TensorValue& tensor, DType dtype);

inline constexpr int64_t kPoison = 0x6b6b6b6b;  // what integers hold before they are written

}  // namespace hone::ir
