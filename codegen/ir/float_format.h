// The formats of floats of 16 bits and less, one row of a table for each: IEEE 754, bfloat16, and those of ONNX and OCP's Microscaling formats.
#pragma once
#include <cstdint>

#include "codegen/ir/type.h"

namespace hone::ir {

// What codes without a number stand for.
enum class Specials : uint8_t {
  kInfinity,  // the last exponent: infinity where the mantissa is 0, else NaN
  kNan,       // the last code: NaN
  kUnsigned,  // that of −0, which there is none of: NaN
  kNone,
};

// A code is [sign] exponent mantissa. It stands for ±1.mantissa · 2^(exponent − bias), and by an exponent of 0 for ±0.mantissa · 2^(1 − bias).
// Without a sign (kF8E8M0) there is no mantissa and no 0 either: each exponent is a power of 2.
struct FloatFormat {
  DType dtype;
  int exponent_bits, mantissa_bits, bias;
  Specials specials;
  bool has_sign = true;

  int exponent_min() const { return has_sign ? 1 - bias : -bias; }  // of the smallest number with a whole mantissa
  double largest() const;
};

const FloatFormat* float_format(DType dtype);  // null: another type

double value_of(const FloatFormat& format, uint32_t code);
// The nearest number, ties to even. Beyond the largest: infinity where the type is one of kernels, else the largest, which infinity becomes
// where the format has none; NaN becomes 0 where it has none. Without a sign: of the magnitude, at least the smallest.
double round_to(const FloatFormat& format, double value);
// The code of round_to.
uint32_t code_of(const FloatFormat& format, double value);

}  // namespace hone::ir
