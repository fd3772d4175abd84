#include "codegen/ir/numeric.h"

#include <cmath>
#include <cstring>

#include "codegen/ir/float_format.h"

namespace hone::ir {
namespace {

uint32_t float_bits(double value) {
  const float f = static_cast<float>(value);
  uint32_t bits;
  std::memcpy(&bits, &f, 4);
  return bits;
}

double float_of_bits(uint32_t bits) {
  float f;
  std::memcpy(&f, &bits, 4);
  return f;
}

// Of a whole number's type.
struct Limits {
  int64_t low, high;  // of u64 the bits of the highest
};
Limits limits_of(DType dtype) {
  const int bits = size_bits(dtype);
  const uint64_t all = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  if (is_unsigned(dtype)) return {0, static_cast<int64_t>(all)};
  const auto high = static_cast<int64_t>(all >> 1);
  return {-high - 1, high};
}

}  // namespace

double round_to(DType dtype, double value) {
  if (dtype == DType::kF32) return static_cast<double>(static_cast<float>(value));
  if (dtype == DType::kF64) return value;
  const FloatFormat* format = float_format(dtype);
  return format ? round_to(*format, value) : value;
}

int64_t wrap_to(DType dtype, int64_t v) {
  if (dtype == DType::kBool) return v != 0;
  if (dtype == DType::kIndex || !is_int(dtype)) return v;
  const int unused = 64 - size_bits(dtype);
  const uint64_t lifted = static_cast<uint64_t>(v) << unused;
  return is_unsigned(dtype) ? static_cast<int64_t>(lifted >> unused) : static_cast<int64_t>(lifted) >> unused;
}

int64_t floor_div(int64_t a, int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return static_cast<int64_t>(0 - static_cast<uint64_t>(a));
  const int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

int64_t floor_mod(int64_t a, int64_t b) {
  if (b == 0 || b == -1) return 0;
  const int64_t r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

int64_t saturate_to(DType dtype, double value) {
  if (dtype == DType::kBool) return value != 0;
  if (std::isnan(value)) return 0;
  const Limits limits = limits_of(dtype);
  const double high = dtype == DType::kU64 ? 0x1p64 : static_cast<double>(limits.high);
  if (value <= static_cast<double>(limits.low)) return limits.low;
  if (value >= high) return limits.high;
  return dtype == DType::kU64 ? static_cast<int64_t>(static_cast<uint64_t>(value)) : static_cast<int64_t>(value);
}

Cell cast_cell(DType to, DType from, Cell value) {
  Cell out;
  if (is_float(from)) {
    if (is_float(to)) out.real = round_to(to, value.real);
    else out.whole = saturate_to(to, value.real);
  } else if (is_float(to)) {
    // Straight to f32: a detour through double would round a 64-bit integer twice.
    if (to == DType::kF32) out.real = from == DType::kU64 ? static_cast<float>(static_cast<uint64_t>(value.whole)) : static_cast<float>(value.whole);
    else out.real = round_to(to, from == DType::kU64 ? static_cast<double>(static_cast<uint64_t>(value.whole)) : static_cast<double>(value.whole));
  } else {
    out.whole = to == DType::kIndex ? static_cast<int32_t>(value.whole) : wrap_to(to, value.whole);
  }
  return out;
}

double min_of(double a, double b) { return b < a || std::isnan(b) ? b : a; }

double max_of(double a, double b) { return a < b || std::isnan(b) ? b : a; }

double apply_intrinsic(Intrinsic intrinsic, double a, double b) {
  switch (intrinsic) {
    case Intrinsic::kNone:
    case Intrinsic::kLaneXor:
    case Intrinsic::kLaneRead:
    case Intrinsic::kDot4: break;
    case Intrinsic::kExp: return std::exp(a);
    case Intrinsic::kLog: return std::log(a);
    case Intrinsic::kSqrt: return std::sqrt(a);
    case Intrinsic::kRsqrt: return 1 / std::sqrt(a);
    case Intrinsic::kTanh: return std::tanh(a);
    case Intrinsic::kErf: return std::erf(a);
    case Intrinsic::kSin: return std::sin(a);
    case Intrinsic::kCos: return std::cos(a);
    case Intrinsic::kPow: return std::pow(a, b);
    case Intrinsic::kFloor: return std::floor(a);
    case Intrinsic::kCeil: return std::ceil(a);
    case Intrinsic::kRound: return std::nearbyint(a);
    case Intrinsic::kAbs: return std::fabs(a);
    case Intrinsic::kTrunc: return std::trunc(a);
  }
  return a;
}

uint64_t bits_of(DType dtype, Cell value) {
  switch (dtype) {
    case DType::kF64: {
      uint64_t bits;
      std::memcpy(&bits, &value.real, 8);
      return bits;
    }
    case DType::kF32: return float_bits(value.real);
    default: {
      if (const FloatFormat* format = float_format(dtype)) return code_of(*format, value.real);
      const int unused = 64 - size_bits(dtype);
      return static_cast<uint64_t>(value.whole) << unused >> unused;
    }
  }
}

Cell cell_of_bits(DType dtype, uint64_t bits) {
  Cell out;
  switch (dtype) {
    case DType::kF64: std::memcpy(&out.real, &bits, 8); return out;
    case DType::kF32: out.real = float_of_bits(static_cast<uint32_t>(bits)); return out;
    case DType::kIndex: out.whole = static_cast<int32_t>(bits); return out;
    default: {
      const FloatFormat* format = float_format(dtype);
      if (format) out.real = value_of(*format, static_cast<uint32_t>(bits));
      else out.whole = wrap_to(dtype, static_cast<int64_t>(bits));
      return out;
    }
  }
}

}  // namespace hone::ir
