#include "codegen/te/ops/narrowing.h"

#include <cmath>

#include "codegen/ir/float_format.h"
#include "codegen/ir/numeric.h"
#include "codegen/te/builder.h"
#include "codegen/te/ops/scalar_functions.h"

namespace hone::te {
namespace {

using ir::DType;
using ir::ExprKind;
using ir::FloatFormat;
using ir::Specials;

constexpr int kMantissaBits = 23;  // of f32
constexpr double kSign = 0x80000000, kInfinity = 0x7f800000, kNan = 0x7fc00000, kSmallestNormal = 0x00800000;

double word_of(double value) { return static_cast<double>(ir::bits_of(DType::kF32, {.real = value})); }
Sym masked(Sym x, double mask) { return bitwise_and(x, x.number(mask)); }
Sym shifted_by(ExprKind kind, Sym x, int count) { return x.with(x.arena->bit(kind, x.expr, x.number(count).expr)); }

// Words are the bits of an f32 without its sign. They are ordered as their numbers are, and a carry out of the mantissa goes into the exponent.
Sym cut(Sym word, int bits) { return masked(word, 0x7fffffff - std::ldexp(1, bits) + 1); }

Sym nearest_even(Sym word, int bits) {
  const Sym odd = masked(shifted_by(ExprKind::kShr, word, bits), 1);
  return cut(word + (std::ldexp(1, bits - 1) - 1) + odd, bits);
}

// Below the smallest number with a whole mantissa numbers lie as far apart as there.
Sym with_mantissa(const FloatFormat& f, Sym word) {
  const double unit = std::ldexp(1, f.exponent_min() - f.mantissa_bits);
  const Sym small = bits(DType::kU32, rounded(bits(DType::kF32, word) * (1 / unit)) * unit);
  const double whole = word_of(std::ldexp(1, f.exponent_min()));
  return select(word < whole, small, nearest_even(word, kMantissaBits - f.mantissa_bits));
}

Sym without_bits(Sym word, int bits, Narrowing::Rounding rounding) {
  const double step = std::ldexp(1, bits);
  return cut(rounding == Narrowing::kDown ? word : word + (rounding == Narrowing::kUp ? step - 1 : step / 2), bits);
}

// The smallest, 2^−127, is half of f32's smallest normal number, and so a mantissa of one bit.
Sym power_of_two(Sym word, Narrowing::Rounding rounding) {
  const Sym small = without_bits(word, kMantissaBits - 1, rounding);
  return select(word < kSmallestNormal, small, without_bits(word, kMantissaBits, rounding));
}

Sym bounded(const FloatFormat& f, Sym given, Sym word, bool saturates) {
  const double largest = word_of(f.largest()), smallest = word_of(std::ldexp(1, f.exponent_min()));
  if (saturates || f.specials == Specials::kNone) return f.has_sign ? min(word, largest) : max(min(word, largest), smallest);
  const Sym beyond = word.number(f.specials == Specials::kInfinity ? kInfinity : kNan);
  const Sym too_large = largest < word;
  return select(f.has_sign ? too_large : either(too_large, given < smallest), beyond, word);
}

Sym with_sign_of(const FloatFormat& f, Sym word, Sym x) {
  const Sym signed_word = bitwise_or(word, masked(x, kSign));
  return f.specials == Specials::kUnsigned ? select(word == 0.0, word, signed_word) : signed_word;
}

}  // namespace

Sym as_small_float(DType dtype, Sym x, const Narrowing& narrowing) {
  const FloatFormat& f = *ir::float_format(dtype);
  const Sym all = bits(DType::kU32, cast(DType::kF32, x)), given = masked(all, kSign - 1);
  const Sym word = f.has_sign ? with_mantissa(f, given) : power_of_two(given, narrowing.rounding);
  const double nan = f.specials == Specials::kNone ? 0 : kNan;
  const Sym number = select(kInfinity < given, given.number(nan), bounded(f, given, word, narrowing.saturates));
  return cast(dtype, bits(DType::kF32, f.has_sign ? with_sign_of(f, number, all) : number));
}

Sym with_low_bits(DType dtype, Sym x) {
  const int bits = ir::size_bits(dtype);
  const Sym whole = cast(DType::kI32, x);
  if (ir::is_unsigned(dtype)) return cast(dtype, masked(whole, std::ldexp(1, bits) - 1));
  return cast(dtype, shifted_by(ExprKind::kShr, shifted_by(ExprKind::kShl, whole, 32 - bits), 32 - bits));
}

Sym saturated(DType dtype, Sym x) {
  if (!ir::is_model_only(dtype)) return cast(dtype, x);
  const Sym whole = cast(DType::kI32, x);
  return cast(dtype, min(max(whole, fold_identity(Fold::kMax, dtype)), fold_identity(Fold::kMin, dtype)));
}

}  // namespace hone::te
