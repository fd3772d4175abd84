#include "codegen/ir/numeric.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace hone::ir {
namespace {

struct FloatFormat {
  int precision;     // significand bits with the hidden one
  int exponent_min;  // of the smallest normal number
  int exponent_max;
};
constexpr FloatFormat kHalf{11, -14, 15}, kBFloat{8, -126, 127};

// Nearest, ties to even: scaled so that one unit in the last place is 1, nearbyint does the rest.
double round_to_format(const FloatFormat& format, double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  int exponent = 0;
  std::frexp(value, &exponent);
  const int unit = std::max(exponent - 1, format.exponent_min) - (format.precision - 1);
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(value, -unit)), unit);
  const double largest = std::ldexp(2 - std::ldexp(1.0, 1 - format.precision), format.exponent_max);
  return std::fabs(rounded) > largest ? std::copysign(std::numeric_limits<double>::infinity(), value) : rounded;
}

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

uint64_t half_bits(double value) {
  const uint64_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return sign | 0x7e00;
  const double magnitude = std::fabs(round_to_format(kHalf, value));
  if (std::isinf(magnitude)) return sign | 0x7c00;
  if (magnitude < 0x1p-14) return sign | static_cast<uint64_t>(magnitude * 0x1p24);
  int exponent = 0;
  const double fraction = std::frexp(magnitude, &exponent);
  return sign | static_cast<uint64_t>(exponent + 14) << 10 | (static_cast<uint64_t>(fraction * 2048) & 0x3ff);
}

double half_of_bits(uint64_t bits) {
  const double sign = bits & 0x8000 ? -1 : 1;
  const int exponent = static_cast<int>(bits >> 10 & 0x1f);
  const double fraction = static_cast<double>(bits & 0x3ff);
  if (exponent == 31) return fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  return sign * (exponent == 0 ? fraction * 0x1p-24 : std::ldexp(fraction + 1024, exponent - 25));
}

template <class T>
int64_t saturate(double value) {
  if (value <= static_cast<double>(std::numeric_limits<T>::min())) return static_cast<int64_t>(std::numeric_limits<T>::min());
  if (value >= static_cast<double>(std::numeric_limits<T>::max())) return static_cast<int64_t>(std::numeric_limits<T>::max());
  return static_cast<int64_t>(static_cast<T>(value));
}

}  // namespace

double round_to(DType dtype, double value) {
  switch (dtype) {
    case DType::kF32: return static_cast<double>(static_cast<float>(value));
    case DType::kF16: return round_to_format(kHalf, value);
    case DType::kBF16: return round_to_format(kBFloat, value);
    default: return value;
  }
}

int64_t wrap_to(DType dtype, int64_t v) {
  switch (dtype) {
    case DType::kBool: return v != 0;
    case DType::kI8: return static_cast<int8_t>(v);
    case DType::kI16: return static_cast<int16_t>(v);
    case DType::kI32: return static_cast<int32_t>(v);
    case DType::kU8: return static_cast<uint8_t>(v);
    case DType::kU16: return static_cast<uint16_t>(v);
    case DType::kU32: return static_cast<uint32_t>(v);
    default: return v;
  }
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
  switch (dtype) {
    case DType::kI8: return saturate<int8_t>(value);
    case DType::kI16: return saturate<int16_t>(value);
    case DType::kI32:
    case DType::kIndex: return saturate<int32_t>(value);
    case DType::kU8: return saturate<uint8_t>(value);
    case DType::kU16: return saturate<uint16_t>(value);
    case DType::kU32: return saturate<uint32_t>(value);
    case DType::kU64: return saturate<uint64_t>(value);
    default: return saturate<int64_t>(value);
  }
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
    case DType::kF16: return half_bits(value.real);
    case DType::kBF16: return float_bits(round_to(DType::kBF16, value.real)) >> 16;
    default: {
      const int bytes = size_bytes(dtype);
      return bytes == 8 ? static_cast<uint64_t>(value.whole) : static_cast<uint64_t>(value.whole) & ((1ull << (8 * bytes)) - 1);
    }
  }
}

Cell cell_of_bits(DType dtype, uint64_t bits) {
  Cell out;
  switch (dtype) {
    case DType::kF64: std::memcpy(&out.real, &bits, 8); return out;
    case DType::kF32: out.real = float_of_bits(static_cast<uint32_t>(bits)); return out;
    case DType::kF16: out.real = half_of_bits(bits); return out;
    case DType::kBF16: out.real = float_of_bits(static_cast<uint32_t>(bits << 16)); return out;
    case DType::kIndex: out.whole = static_cast<int32_t>(bits); return out;
    default: out.whole = wrap_to(dtype, static_cast<int64_t>(bits)); return out;
  }
}

}  // namespace hone::ir
