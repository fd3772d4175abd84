#include "codegen/emit/llvm/function_expansion.h"

#include <cmath>
#include <initializer_list>
#include <limits>

namespace hone::emit {

using ir::DType;
using ir::Expr;
using ir::ExprKind;
using ir::Intrinsic;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr int kMantissaBits = 23, kExponentBias = 127;

class Expansion {
 public:
  Expansion(ir::Arena& arena, ir::Type type) : a_(arena), type_(type) {}

  // n = round(x / ln 2), r = x - n ln 2 with ln 2 in two parts, e^x = 2^(n-1) 2e^r: Cody and Waite, Software Manual for the Elementary
  // Functions, ch. 6. A summand so large that its last place is 1 rounds, and holds n, with the exponent's bias, in its lowest bits. The
  // polynomial is a minimax of e^r, doubled, since 2^128 has no float. NaN passes each step.
  Expr exponential(Expr x) {
    const double smallest = -86.98, largest = 89, rounder = 1.5 * (1 << kMantissaBits) + kExponentBias - 1;
    const Expr inside = at_most(x, largest);
    const Expr rounded = a_.mad(inside, real(1.44269504088896341), real(rounder));
    const Expr n = a_.sub(rounded, real(rounder));
    const Expr r = a_.mad(n, real(2.12194440e-4), a_.mad(n, real(-0.693359375), inside));
    const Expr p = polynomial(r, {2 * 0.0013843607157, 2 * 0.0083741955459, 2 * 0.0416680052876, 2 * 0.1666643023491,
                                  2 * 0.4999999403954, 2, 2});
    const Expr power = a_.bit(ExprKind::kShl, a_.bitcast(integer_type(), rounded), integer(kMantissaBits));
    return a_.select(a_.lt(x, real(smallest)), real(0), a_.mul(p, a_.bitcast(type_, power)));
  }

  // x = 2^e m with m in [√½, √2); log m by s = (m - 1) / (m + 1). FreeBSD's msun, e_logf.c, whose coefficients these are. What is below
  // the normal numbers is lifted by 2^23 first.
  Expr logarithm(Expr x) {
    const double tiny = std::ldexp(1.0, 1 - kExponentBias);
    const int64_t root_bits = 0x3f3504f3, one_bits = 0x3f800000;  // of √½ and 1
    const Expr is_tiny = a_.lt(x, real(tiny));
    const Expr lifted = a_.select(is_tiny, a_.mul(x, real(1 << kMantissaBits)), x);
    const Expr bits = a_.add(a_.bitcast(integer_type(), lifted), integer(one_bits - root_bits));
    const Expr bias = a_.select(is_tiny, integer(kExponentBias + kMantissaBits), integer(kExponentBias));
    const Expr e = a_.cast(type_, a_.sub(a_.bit(ExprKind::kShr, bits, integer(kMantissaBits)), bias));
    const Expr fraction = a_.bit(ExprKind::kBitAnd, bits, integer((1 << kMantissaBits) - 1));
    const Expr f = a_.sub(a_.bitcast(type_, a_.add(fraction, integer(root_bits))), real(1));
    const Expr s = a_.div(f, a_.add(f, real(2))), z = a_.mul(s, s);
    const Expr r = a_.mul(z, polynomial(z, {0.24279078841, 0.28498786688, 0.40000972152, 0.66666662693}));
    const Expr half_square = a_.mul(a_.mul(f, real(0.5)), f);
    const Expr low = a_.mad(s, a_.add(half_square, r), a_.mul(e, real(9.0580006145e-06)));
    const Expr y = a_.add(a_.add(a_.sub(low, half_square), f), a_.mul(e, real(6.9313812256e-01)));
    const Expr finite = a_.le(x, real(std::numeric_limits<float>::max()));
    const Expr positive =
        a_.select(a_.eq(x, real(0)), real(-kInfinity), a_.select(finite, y, x));  // infinity and NaN are themselves
    return a_.select(a_.lt(x, real(0)), real(kNaN), positive);
  }

  // x P(x²) / Q(x²), a minimax approximation where |tanh| is less than 1 - ½ ulp: coefficients of Eigen's ptanh_float. Near zero, where
  // the quotient of P and Q would round, x itself. Beyond the first bound where the quotient is 1 whether a Mad rounds once or twice,
  // 1: infinity times 1 - tanh is then NaN, and no infinity of either sign.
  Expr hyperbolic_tangent(Expr x) {
    const double beyond = 8.078094482421875, small = 0.0004;
    const Expr inside = at_least(at_most(x, beyond), -beyond), z = a_.mul(inside, inside);
    const Expr p =
        polynomial(z, {-2.76076847742355e-16, 2.00018790482477e-13, -8.60467152213735e-11, 5.12229709037114e-08,
                       1.48572235717979e-05, 6.37261928875436e-04, 4.89352455891786e-03});
    const Expr q =
        polynomial(z, {1.19825839466702e-06, 1.18534705686654e-04, 2.26843463243900e-03, 4.89352518554385e-03});
    const Expr is_small = a_.lt(a_.call(Intrinsic::kAbs, {x}), real(small));
    return a_.select(is_small, x, a_.div(a_.mul(inside, p), q));
  }

  // x P(x²) / Q(x²), a minimax approximation where |erf| is less than 1 - ½ ulp: coefficients of Eigen's generic_fast_erf.
  // The bound: as for tanh, that next to Eigen's.
  Expr error_function(Expr x) {
    const double beyond = 3.8325088024139404;
    const Expr inside = at_least(at_most(x, beyond), -beyond), z = a_.mul(inside, inside);
    const Expr p = polynomial(z, {0.00022905065861350646, 0.0034082910107109506, 0.050955695062380861,
                                  0.18520832239976145, 1.128379143519084});
    const Expr q = polynomial(z, {-1.1791602954361697e-7, 0.000023547966471313185, 0.0010179625278914885,
                                  0.014070470171167667, 0.11098505178285362, 0.49746925110067538, 1.0});
    return a_.div(a_.mul(inside, p), q);
  }

 private:
  ir::Type integer_type() const { return {DType::kI32, type_.lanes}; }
  Expr real(double value) { return a_.constant(type_, static_cast<float>(value)); }
  Expr integer(int64_t value) { return a_.constant(integer_type(), static_cast<double>(value)); }

  // Horner, highest power first.
  Expr polynomial(Expr x, std::initializer_list<double> coefficients) {
    Expr sum = nullptr;
    for (double c : coefficients) sum = sum ? a_.mad(sum, x, real(c)) : real(c);
    return sum;
  }
  // NaN stays.
  Expr at_most(Expr x, double most) { return a_.select(a_.lt(real(most), x), real(most), x); }
  Expr at_least(Expr x, double least) { return a_.select(a_.lt(x, real(least)), real(least), x); }

  ir::Arena& a_;
  ir::Type type_;
};

// Null unless the exponent is a literal that products serve.
Expr small_power(ir::Arena& arena, Expr e) {
  const Expr exponent = e->args[1]->kind == ExprKind::kBroadcast ? e->args[1]->args[0] : e->args[1];
  if (!is_const(exponent)) return nullptr;
  const Expr x = e->args[0];
  if (exponent->fval == 1) return x;
  const Expr square = arena.mul(x, x);
  if (exponent->fval == 2) return square;
  if (exponent->fval == 3) return arena.mul(square, x);
  return exponent->fval == 4 ? arena.mul(square, square) : nullptr;
}

}  // namespace

Expr expand_function(ir::Arena& arena, Expr e) {
  if (e->intrinsic == Intrinsic::kPow) return small_power(arena, e);
  if (e->type.dtype != DType::kF32) return nullptr;
  Expansion expansion(arena, e->type);
  const Expr x = e->args[0];
  switch (e->intrinsic) {
    case Intrinsic::kExp:
      return expansion.exponential(x);
    case Intrinsic::kLog:
      return expansion.logarithm(x);
    case Intrinsic::kTanh:
      return expansion.hyperbolic_tangent(x);
    case Intrinsic::kErf:
      return expansion.error_function(x);
    case Intrinsic::kNone:
    case Intrinsic::kLaneXor:
    case Intrinsic::kLaneRead:
    case Intrinsic::kDot4:
    case Intrinsic::kSqrt:
    case Intrinsic::kRsqrt:
    case Intrinsic::kSin:
    case Intrinsic::kCos:
    case Intrinsic::kPow:
    case Intrinsic::kFloor:
    case Intrinsic::kCeil:
    case Intrinsic::kRound:
    case Intrinsic::kAbs:
    case Intrinsic::kTrunc:
      break;
  }
  return nullptr;
}

}  // namespace hone::emit
