// Scalar types and their vectors. `index` is 32 bits wide, signed, never overflows, and is the only type simplified algebraically.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace hone::ir {

enum class DType : uint8_t { kBool, kI8, kI16, kI32, kI64, kU8, kU16, kU32, kU64, kF16, kBF16, kF32, kF64, kIndex };

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
bool is_unsigned(DType dtype);                        // u8…u64
int size_bytes(DType dtype);                          // bool is stored in 1 byte on a CPU and 4 on a GPU; here 1
std::string_view dtype_name(DType dtype);             // "f32", "index", …
bool parse_dtype(std::string_view name, DType* out);  // the inverse of dtype_name
std::string type_name(Type type);                     // "f32", "f32x4"

}  // namespace hone::ir
