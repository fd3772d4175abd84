// Scalar types and their vectors. `index` is 32 bits wide, signed, never overflows, and is the only type simplified algebraically.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace hone::ir {

// From kF8E4M3FN on they are models' alone (is_model_only).
enum class DType : uint8_t {
  kBool, kI8, kI16, kI32, kI64, kU8, kU16, kU32, kU64, kF16, kBF16, kF32, kF64, kIndex,
  kF8E4M3FN, kF8E4M3FNUZ, kF8E5M2, kF8E5M2FNUZ, kF8E8M0, kF4E2M1, kI4, kU4, kI2, kU2
};

struct Type {
  DType dtype = DType::kF32;
  int lanes = 1;
  friend bool operator==(const Type&, const Type&) = default;
  Type with_lanes(int n) const { return {dtype, n}; }
  Type scalar() const { return {dtype, 1}; }
};

inline constexpr Type kIndexType{DType::kIndex, 1};
inline constexpr Type kBoolType{DType::kBool, 1};

bool is_float(DType dtype);
bool is_int(DType dtype);                             // signed or unsigned integers and index; not bool
bool is_unsigned(DType dtype);                        // u2…u64
bool is_model_only(DType dtype);                      // floats of 8 bits and less, whole numbers of 4 and 2: models store and convert them, kernels never have them
DType caller_type(DType dtype);                       // the nearest type that NumPy has: itself, else f32, i8 or u8
int size_bits(DType dtype);                           // of a whole number those that it wraps at
int size_bytes(DType dtype);                          // one at least. bool is stored in 1 byte on a CPU and 4 on a GPU; here 1
std::string_view dtype_name(DType dtype);             // "f32", "index", …
bool parse_dtype(std::string_view name, DType* out);  // the inverse of dtype_name
std::string type_name(Type type);                     // "f32", "f32x4"

}  // namespace hone::ir
