#include "codegen/ir/float_format.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace hone::ir {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();

constexpr FloatFormat kFormats[] = {
    {DType::kF16, 5, 10, 15, Specials::kInfinity},      {DType::kBF16, 8, 7, 127, Specials::kInfinity},
    {DType::kF8E4M3FN, 4, 3, 7, Specials::kNan},        {DType::kF8E4M3FNUZ, 4, 3, 8, Specials::kUnsigned},
    {DType::kF8E5M2, 5, 2, 15, Specials::kInfinity},    {DType::kF8E5M2FNUZ, 5, 2, 16, Specials::kUnsigned},
    {DType::kF8E8M0, 8, 0, 127, Specials::kNan, false}, {DType::kF4E2M1, 2, 1, 1, Specials::kNone},
};

uint32_t sign_code(const FloatFormat& f) { return f.has_sign ? 1u << (f.exponent_bits + f.mantissa_bits) : 0; }
uint32_t last_code(const FloatFormat& f) { return (1u << (f.exponent_bits + f.mantissa_bits)) - 1; }
uint32_t infinity_code(const FloatFormat& f) { return ((1u << f.exponent_bits) - 1) << f.mantissa_bits; }

uint32_t nan_code(const FloatFormat& f) {
  if (f.specials == Specials::kInfinity) return infinity_code(f) | 1u << (f.mantissa_bits - 1);
  return f.specials == Specials::kUnsigned ? sign_code(f) : last_code(f);
}

uint32_t largest_code(const FloatFormat& f) {
  if (f.specials == Specials::kInfinity) return infinity_code(f) - 1;
  return f.specials == Specials::kNan ? last_code(f) - 1 : last_code(f);
}

// Of a code without a sign that stands for a number.
double magnitude_of(const FloatFormat& f, uint32_t code) {
  const int exponent = static_cast<int>(code >> f.mantissa_bits);
  const double fraction = static_cast<double>(code & ((1u << f.mantissa_bits) - 1)), whole = std::ldexp(1.0, f.mantissa_bits);
  if (exponent == 0 && f.has_sign) return std::ldexp(fraction, f.exponent_min() - f.mantissa_bits);
  return std::ldexp(whole + fraction, exponent - f.bias - f.mantissa_bits);
}

// Scaled so that one unit in the last place is 1, nearbyint does the rest.
double nearest(const FloatFormat& f, double magnitude) {
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  const int unit = std::max(exponent - 1, f.exponent_min()) - f.mantissa_bits;
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(magnitude, -unit)), unit);
  return f.has_sign ? rounded : std::max(rounded, std::ldexp(1.0, f.exponent_min()));
}

double bounded(const FloatFormat& f, double magnitude) {
  if (magnitude <= f.largest()) return magnitude;
  const bool is_infinite = f.specials == Specials::kInfinity && (std::isinf(magnitude) || !is_model_only(f.dtype));
  return is_infinite ? kInfinity : f.largest();
}

uint32_t code_of_magnitude(const FloatFormat& f, double magnitude) {
  if (std::isinf(magnitude)) return infinity_code(f);
  if (magnitude == 0) return 0;
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  exponent = std::max(exponent - 1, f.exponent_min());
  const auto units = static_cast<uint32_t>(std::ldexp(magnitude, f.mantissa_bits - exponent));  // 2^mantissa_bits at least, else subnormal
  const int stored = f.has_sign ? exponent + f.bias - 1 : exponent + f.bias;
  return f.has_sign ? (static_cast<uint32_t>(stored) << f.mantissa_bits) + units : static_cast<uint32_t>(stored);
}

}  // namespace

double FloatFormat::largest() const { return magnitude_of(*this, largest_code(*this)); }

const FloatFormat* float_format(DType dtype) {
  const auto* found = std::find_if(std::begin(kFormats), std::end(kFormats), [&](const FloatFormat& f) { return f.dtype == dtype; });
  return found == std::end(kFormats) ? nullptr : found;
}

double value_of(const FloatFormat& f, uint32_t code) {
  const uint32_t magnitude = code & last_code(f);
  const bool is_negative = (code & sign_code(f)) != 0;
  if (f.specials == Specials::kUnsigned && code == sign_code(f)) return kNan;
  if (f.specials == Specials::kInfinity && magnitude == infinity_code(f)) return is_negative ? -kInfinity : kInfinity;
  if (f.specials != Specials::kNone && magnitude > largest_code(f)) return kNan;
  const double value = magnitude_of(f, magnitude);
  return is_negative ? -value : value;
}

double round_to(const FloatFormat& f, double value) {
  if (std::isnan(value)) return f.specials == Specials::kNone ? 0 : value;
  const double magnitude = std::fabs(value);
  const double rounded = bounded(f, std::isinf(magnitude) || (magnitude == 0 && f.has_sign) ? magnitude : nearest(f, magnitude));
  const bool loses_sign = !f.has_sign || (rounded == 0 && f.specials == Specials::kUnsigned);
  return loses_sign ? rounded : std::copysign(rounded, value);
}

uint32_t code_of(const FloatFormat& f, double value) {
  const double rounded = round_to(f, value);
  if (std::isnan(rounded)) return nan_code(f);
  return (std::signbit(rounded) ? sign_code(f) : 0) | code_of_magnitude(f, std::fabs(rounded));
}

}  // namespace hone::ir
