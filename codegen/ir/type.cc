#include "codegen/ir/type.h"

#include <array>

#include "codegen/ir/expr.h"
#include "codegen/ir/stmt.h"

namespace hone::ir {
namespace {
struct DTypeInfo {
  DType dtype;
  std::string_view name;
  int bits;
};
constexpr std::array<DTypeInfo, 24> kDTypes{{{DType::kBool, "bool", 8},
                                             {DType::kI8, "i8", 8},
                                             {DType::kI16, "i16", 16},
                                             {DType::kI32, "i32", 32},
                                             {DType::kI64, "i64", 64},
                                             {DType::kU8, "u8", 8},
                                             {DType::kU16, "u16", 16},
                                             {DType::kU32, "u32", 32},
                                             {DType::kU64, "u64", 64},
                                             {DType::kF16, "f16", 16},
                                             {DType::kBF16, "bf16", 16},
                                             {DType::kF32, "f32", 32},
                                             {DType::kF64, "f64", 64},
                                             {DType::kIndex, "index", 32},
                                             {DType::kF8E4M3FN, "f8e4m3fn", 8},
                                             {DType::kF8E4M3FNUZ, "f8e4m3fnuz", 8},
                                             {DType::kF8E5M2, "f8e5m2", 8},
                                             {DType::kF8E5M2FNUZ, "f8e5m2fnuz", 8},
                                             {DType::kF8E8M0, "f8e8m0", 8},
                                             {DType::kF4E2M1, "f4e2m1", 4},
                                             {DType::kI4, "i4", 4},
                                             {DType::kU4, "u4", 4},
                                             {DType::kI2, "i2", 2},
                                             {DType::kU2, "u2", 2}}};
constexpr std::array<std::string_view, 15> kPlaces{"serial",  "unroll",   "vectorize", "block.x",  "block.y",
                                                   "block.z", "thread.x", "thread.y",  "thread.z", "thread",
                                                   "lane",    "core",     "texel.x",   "texel.y",  "target"};
constexpr std::array<std::string_view, 18> kIntrinsics{"none",  "exp", "log",   "sqrt", "rsqrt",    "tanh",
                                                       "erf",   "sin", "cos",   "pow",  "floor",    "ceil",
                                                       "round", "abs", "trunc", "dot4", "lane_xor", "lane_read"};
constexpr std::string_view kKinds[] = {
#define EXPR(kind, text) text,
#include "codegen/ir/nodes.def"
};
}  // namespace

bool is_float(DType d) { return (d >= DType::kF16 && d <= DType::kF64) || (d >= DType::kF8E4M3FN && d <= DType::kF4E2M1); }
bool is_int(DType d) { return !is_float(d) && d != DType::kBool; }
bool is_unsigned(DType d) { return (d >= DType::kU8 && d <= DType::kU64) || d == DType::kU4 || d == DType::kU2; }
bool is_model_only(DType d) { return d >= DType::kF8E4M3FN; }
DType caller_type(DType d) {
  if (d == DType::kBF16) return DType::kF32;
  if (!is_model_only(d)) return d;
  return is_float(d) ? DType::kF32 : is_unsigned(d) ? DType::kU8 : DType::kI8;
}
int size_bits(DType d) { return kDTypes[static_cast<size_t>(d)].bits; }
int size_bytes(DType d) { return (size_bits(d) + 7) / 8; }
std::string_view dtype_name(DType d) { return kDTypes[static_cast<size_t>(d)].name; }

bool parse_dtype(std::string_view name, DType* out) {
  for (const auto& info : kDTypes)
    if (info.name == name) return *out = info.dtype, true;
  return false;
}

std::string type_name(Type type) {
  std::string out(dtype_name(type.dtype));
  return type.lanes == 1 ? out : out + "x" + std::to_string(type.lanes);
}

std::string_view kind_name(ExprKind kind) { return kKinds[static_cast<size_t>(kind)]; }
std::string_view intrinsic_name(Intrinsic i) { return kIntrinsics[static_cast<size_t>(i)]; }

bool parse_intrinsic(std::string_view name, Intrinsic* out) {
  for (size_t i = 1; i < kIntrinsics.size(); i++)
    if (kIntrinsics[i] == name) return *out = static_cast<Intrinsic>(i), true;
  return false;
}

std::string_view place_name(Place place) { return kPlaces[static_cast<size_t>(place)]; }

bool parse_place(std::string_view name, Place* out) {
  for (size_t i = 0; i < kPlaces.size(); i++)
    if (kPlaces[i] == name) return *out = static_cast<Place>(i), true;
  return false;
}

bool is_block(Place p) {
  return (p >= Place::kBlockX && p <= Place::kBlockZ) || p == Place::kCore || p == Place::kTexelX ||
         p == Place::kTexelY;
}
bool is_straight(Place p) { return p == Place::kUnroll || p == Place::kTarget; }
int place_dimension(Place p) {
  if (p == Place::kBlockY || p == Place::kThreadY || p == Place::kTexelY) return 1;
  return p == Place::kBlockZ || p == Place::kThreadZ ? 2 : 0;
}
bool is_thread(Place p) { return p >= Place::kThreadX && p <= Place::kThread; }

}  // namespace hone::ir
