#include "codegen/te/ops/scalar_functions.h"

#include <cmath>

#include "codegen/te/builder.h"

namespace hone::te {

using ir::DType;
using ir::ExprKind;
using ir::Intrinsic;

namespace {
bool has_sign(Sym x) { return !ir::is_unsigned(x.type().dtype); }
}  // namespace

Sym absolute(Sym x) {
  if (!has_sign(x)) return x;
  return ir::is_float(x.type().dtype) ? call(Intrinsic::kAbs, x) : select(x < 0.0, -x, x);
}
Sym arc_cosine(Sym x) { return 1.5707963267948966 - arc_sine(x); }
Sym arc_hyperbolic_cosine(Sym x) { return logarithm(x + square_root((x - 1.0) * (x + 1.0))); }
// Of the magnitude, with the sign put back: for negative x the sum would cancel.
Sym arc_hyperbolic_sine(Sym x) {
  const Sym magnitude = absolute(x);
  return sign(x) * logarithm(magnitude + square_root(magnitude * magnitude + 1.0));
}
Sym arc_hyperbolic_tangent(Sym x) { return logarithm((1.0 + x) / (1.0 - x)) * 0.5; }
Sym arc_sine(Sym x) { return 2.0 * arc_tangent(x / (1.0 + square_root((1.0 - x) * (1.0 + x)))); }
// atan(x) = π/2 − atan(1/x) brings x into [0, 1]; atan(x) = 2 · atan(x / (1 + √(1 + x²))), twice, below tan(π/16); there the Taylor series.
Sym arc_tangent(Sym x) {
  const Sym magnitude = absolute(x);
  Sym u = min(magnitude, 1.0 / max(magnitude, 1e-30));
  for (int i = 0; i < 2; i++) u = u / (1.0 + square_root(1.0 + u * u));
  const Sym square = u * u;
  Sym series = square.number(-1.0 / 11);
  for (double term : {1.0 / 9, -1.0 / 7, 1.0 / 5, -1.0 / 3, 1.0}) series = series * square + term;
  const Sym small = series * u * 4.0;
  return sign(x) * select(1.0 < magnitude, 1.5707963267948966 - small, small);
}
Sym ceiling(Sym x) { return call(Intrinsic::kCeil, x); }
Sym cosine(Sym x) { return call(Intrinsic::kCos, x); }
Sym error_function(Sym x) { return call(Intrinsic::kErf, x); }
Sym exponential(Sym x) { return call(Intrinsic::kExp, x); }
Sym floor_of(Sym x) { return call(Intrinsic::kFloor, x); }
Sym gelu(Sym x) { return x * 0.5 * (1.0 + error_function(x * 0.7071067811865476)); }
Sym gelu_by_tanh(Sym x) { return x * 0.5 * (1.0 + tangent_hyperbolic((x + x * x * x * 0.044715) * 0.7978845608028654)); }
Sym hyperbolic_cosine(Sym x) { return (exponential(x) + exponential(-x)) * 0.5; }
Sym hyperbolic_sine(Sym x) { return (exponential(x) - exponential(-x)) * 0.5; }
Sym hard_swish(Sym x) { return x * hard_sigmoid(x, 1.0 / 6, 0.5); }
Sym logarithm(Sym x) { return call(Intrinsic::kLog, x); }
Sym logical_negation(Sym x) { return negated(x); }
Sym mish(Sym x) { return x * tangent_hyperbolic(softplus(x)); }
Sym negation(Sym x) { return -x; }
Sym reciprocal(Sym x) { return 1.0 / x; }
Sym relu(Sym x) { return max(x, 0.0); }
Sym rounded(Sym x) { return call(Intrinsic::kRound, x); }
Sym sigmoid(Sym x) { return 1.0 / (1.0 + exponential(-x)); }
Sym sign(Sym x) { return select(0.0 < x, x.number(1), select(x < 0.0, x.number(has_sign(x) ? -1 : 0), x.number(0))); }
Sym sine(Sym x) { return call(Intrinsic::kSin, x); }
// log(1 + e^x) without overflow of e^x.
Sym softplus(Sym x) { return max(x, 0.0) + logarithm(1.0 + exponential(-absolute(x))); }
Sym softsign(Sym x) { return x / (1.0 + absolute(x)); }
Sym square_root(Sym x) { return call(Intrinsic::kSqrt, x); }
Sym tangent(Sym x) { return sine(x) / cosine(x); }
Sym tangent_hyperbolic(Sym x) { return call(Intrinsic::kTanh, x); }

Sym elu(Sym x, double alpha) { return select(x < 0.0, (exponential(x) - 1.0) * alpha, x); }
Sym hard_sigmoid(Sym x, double alpha, double beta) { return max(min(x * alpha + beta, 1.0), 0.0); }
Sym leaky_relu(Sym x, double alpha) { return select(x < 0.0, x * alpha, x); }
Sym selu(Sym x, double alpha, double gamma) { return select(x <= 0.0, (exponential(x) - 1.0) * (alpha * gamma), x * gamma); }
Sym celu(Sym x, double alpha) { return max(x, 0.0) + min((exponential(x / alpha) - 1.0) * alpha, 0.0); }
Sym thresholded_relu(Sym x, double alpha) { return select(alpha < x, x, x.number(0)); }

Sym shrink(Sym x, double lambda, double bias) {
  return select(x < -lambda, x + bias, select(lambda < x, x - bias, x.number(0)));
}
Sym swish(Sym x, double alpha) { return x * sigmoid(x * alpha); }

Sym sum(Sym a, Sym b) { return a + b; }
Sym difference(Sym a, Sym b) { return a - b; }
Sym product(Sym a, Sym b) { return a * b; }

namespace {
// Of whole numbers with a sign, of which one is negative: where rounding down and towards zero differ.
Sym rounds_up(Sym a, Sym b) {
  const Sym a_negative = a < 0.0, b_negative = b < 0.0;
  return both(negated(a % b == 0.0), exclusive_or(a_negative, b_negative));
}
}  // namespace

// Div of the IR rounds down; ONNX's integers divide towards zero. Not by way of magnitudes: the lowest number has none.
Sym quotient(Sym a, Sym b) {
  const Sym down = a / b;
  return ir::is_float(a.type().dtype) || !has_sign(a) ? down : select(rounds_up(a, b), down + 1.0, down);
}

Sym remainder_of_divisor(Sym a, Sym b) {
  if (!ir::is_float(a.type().dtype)) return a % b;
  const Sym rest = remainder_of_dividend(a, b);
  const Sym other_sign = exclusive_or(rest < 0.0, b < 0.0);
  return select(both(negated(rest == 0.0), other_sign), rest + b, rest);
}
Sym remainder_of_dividend(Sym a, Sym b) {
  if (!ir::is_float(a.type().dtype)) {
    const Sym rest = a % b;
    return has_sign(a) ? select(rounds_up(a, b), rest - b, rest) : rest;
  }
  const Sym whole = call(Intrinsic::kTrunc, a / b);
  return select(whole == 0.0, a, a - whole * b);  // also where b is infinite
}

namespace {

// Exponents below have as many bits; beyond, powers of what is not 0, 1 or −1 leave 32 bits.
constexpr int kExponentBits = 5;
constexpr double kExponentEnd = 1 << kExponentBits, kBeyond = 0x1p60;

// aⁿ by squares.
Sym power_of(Sym a, int64_t n) {
  Sym out = a.number(1), square = a;
  for (bool is_first = true; n > 0; n /= 2) {
    if (n % 2 == 1) out = is_first ? square : out * square;
    is_first = is_first && n % 2 == 0;
    if (n > 1) square = square * square;
  }
  return out;
}

Sym bit_of(Sym x, int bit) { return negated(bitwise_and(x, x.number(1 << bit)) == 0.0); }

// Where the exponent is negative, or has more bits.
Sym power_of_units(Sym a, Sym b, Sym otherwise) {
  const Sym one = a.number(1);
  const Sym of_minus_one = has_sign(a) ? select(a == -1.0, select(bit_of(b, 0), -one, one), otherwise) : otherwise;
  return select(a == 1.0, one, of_minus_one);
}

// Of whole numbers, where b is one, too.
Sym whole_power(Sym a, Sym b) {
  if (ir::is_const(b.expr) && b.expr->ival >= 0 && b.expr->ival < 64) return power_of(a, b.expr->ival);
  Sym out = a.number(1), square = a;
  for (int i = 0; i < kExponentBits; i++) {
    if (i > 0) square = square * square;
    out = out * select(bit_of(b, i), square, a.number(1));
  }
  const Sym zero = a.number(0);
  const Sym beyond = ir::size_bytes(a.type().dtype) > 4 ? select(a == 0.0, zero, a.number(kBeyond)) : zero;
  out = select(b < kExponentEnd, out, power_of_units(a, b, beyond));
  return has_sign(b) ? select(b < 0.0, power_of_units(a, b, zero), out) : out;
}

}  // namespace

Sym power(Sym a, Sym b) {
  const DType type = a.type().dtype;
  if (!ir::is_float(type) && ir::is_int(b.type().dtype)) return whole_power(a, b);
  if (!ir::is_float(type) && ir::is_const(b.expr) && b.expr->fval >= 0 && b.expr->fval < 64 && b.expr->fval == std::floor(b.expr->fval)) return power_of(a, static_cast<int64_t>(b.expr->fval));
  if (!ir::is_float(type)) return converted(type, power(cast(DType::kF32, a), cast(DType::kF32, b)));
  const Sym exponent = cast(type, b);
  if (ir::is_const(exponent.expr)) {
    const double value = exponent.expr->fval;
    if (value == 0.5) return square_root(a);
    if (value == 1) return a;
    if (value == 2) return a * a;
    if (value == 3) return a * a * a;
    if (value == -1) return reciprocal(a);
  }
  // pow of a negative base is not defined on GPUs: the sign is that of the base where the exponent is odd.
  const Sym magnitude = call(Intrinsic::kPow, absolute(a), exponent);
  const Sym half = exponent * 0.5;
  const Sym odd = both(floor_of(exponent) == exponent, negated(floor_of(half) == half));
  const Sym whole = floor_of(exponent) == exponent;
  const Sym of_negative = select(whole, select(odd, -magnitude, magnitude), square_root(a));  // a root of it is NaN
  return select(a < 0.0, of_negative, magnitude);
}

Sym smaller(Sym a, Sym b) { return min(a, b); }
Sym larger(Sym a, Sym b) { return max(a, b); }
Sym equals(Sym a, Sym b) { return a == b; }
Sym less(Sym a, Sym b) { return a < b; }
Sym less_or_equal(Sym a, Sym b) { return a <= b; }
Sym greater(Sym a, Sym b) { return b < a; }
Sym greater_or_equal(Sym a, Sym b) { return b <= a; }
Sym logical_and(Sym a, Sym b) { return both(a, b); }
Sym logical_or(Sym a, Sym b) { return either(a, b); }
Sym exclusive_or(Sym a, Sym b) { return either(both(a, negated(b)), both(negated(a), b)); }
Sym parametric_relu(Sym x, Sym slope) { return select(x < 0.0, x * slope, x); }

namespace {
constexpr double kInfinityBits = 0x7f800000, kNegativeInfinityBits = 0xff800000, kMagnitudeBits = 0x7fffffff;
Sym bits_of(Sym x) { return bits(DType::kU32, cast(DType::kF32, x)); }
}  // namespace

Sym is_not_a_number(Sym x) {
  const Sym word = bits_of(x);
  return kInfinityBits < bitwise_and(word, word.number(kMagnitudeBits));
}
Sym is_infinite(Sym x, bool positive, bool negative) {
  const Sym word = bits_of(x), above = word == kInfinityBits, below = word == kNegativeInfinityBits;
  if (positive && negative) return either(above, below);
  if (positive) return above;
  return negative ? below : both(above, below);  // the latter is never so
}

Sym bitwise_and(Sym a, Sym b) { return a.with(a.arena->bit(ExprKind::kBitAnd, a.expr, b.expr)); }
Sym bitwise_or(Sym a, Sym b) { return a.with(a.arena->bit(ExprKind::kBitOr, a.expr, b.expr)); }
Sym bitwise_exclusive_or(Sym a, Sym b) { return a.with(a.arena->bit(ExprKind::kBitXor, a.expr, b.expr)); }
Sym bitwise_complement(Sym x) { return x.number(has_sign(x) ? -1 : fold_identity(Fold::kMin, x.type().dtype)) - x; }

namespace {

// Devices count modulo 32.
Sym shifted(ExprKind kind, Sym x, Sym count, Sym beyond) {
  const Sym inside = both(0.0 <= count, count < 8.0 * ir::size_bytes(x.type().dtype));
  const Sym moved = x.with(x.arena->bit(kind, x.expr, select(inside, count, count.number(0)).expr));
  return select(inside, moved, beyond);
}

}  // namespace

Sym shifted_left(Sym x, Sym count) { return shifted(ExprKind::kShl, x, count, x.number(0)); }
Sym shifted_right(Sym x, Sym count) {
  const Sym zero = x.number(0);
  return shifted(ExprKind::kShr, x, count, has_sign(x) ? select(x < 0.0, x.number(-1), zero) : zero);
}

Sym summable(Sym x) {
  const DType dtype = x.type().dtype;
  return ir::is_int(dtype) && dtype != DType::kIndex && ir::size_bytes(dtype) < 4 ? cast(DType::kI32, x) : x;
}

Sym converted(DType dtype, Sym x, const Narrowing& narrowing) {
  if (ir::is_model_only(dtype) && x.type().dtype != dtype)
    return ir::is_float(dtype) ? as_small_float(dtype, x, narrowing) : with_low_bits(dtype, x);
  if (dtype == DType::kBool && x.type().dtype != DType::kBool) return negated(x == 0.0);
  return cast(dtype, x);
}

}  // namespace hone::te
