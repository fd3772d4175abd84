#include "codegen/emit/c_like/shader_functions.h"

#include <initializer_list>
#include <limits>

#include "codegen/emit/c_like/extremes.h"

namespace hone::emit {

using ir::DType;
using ir::Expr;
using ir::ExprKind;
using ir::Intrinsic;

namespace {

class Functions {
 public:
  Functions(ir::Arena& arena, ir::Type type) : a_(arena), type_(type) {}

  // Abramowitz and Stegun, Handbook of Mathematical Functions, 7.1.26. Beyond the bound the result is ±1, and no power is infinite.
  Expr error_function(Expr x) {
    const double beyond = 4;
    const Expr magnitude = at_most(a_.call(Intrinsic::kAbs, {x}), beyond);
    const Expr u = a_.div(real(1), a_.mad(real(0.3275911), magnitude, real(1)));
    const Expr poly = polynomial(u, {1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592});
    const Expr decay = a_.call(Intrinsic::kExp, {a_.sub(real(0), a_.mul(magnitude, magnitude))});
    const Expr y = a_.sub(real(1), a_.mul(a_.mul(poly, u), decay));
    return nan_or(a_, x, a_.select(a_.lt(x, real(0)), a_.sub(real(0), y), y));
  }

  // x = n·π/2 + r with π/2 in three parts: Cody and Waite, Software Manual for the Elementary Functions, ch. 8. The polynomials on
  // [-π/4, π/4] are those of Moshier's Cephes, sinf and cosf. cos x = sin(x + π/2): one quadrant further.
  Expr sine(Expr x, int quadrants_further) {
    const Expr n = a_.call(Intrinsic::kRound, {a_.mul(x, real(0.63661977236758134))});
    const Expr near = a_.mad(n, real(-4.837512969970703e-4), a_.mad(n, real(-1.5703125), x));
    const Expr r = a_.mad(n, real(-7.54978994876864e-8), near), z = a_.mul(r, r);
    const Expr sine = a_.mad(a_.mul(r, z), polynomial(z, {-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1}), r);
    const Expr cosine =
        a_.mad(a_.mul(z, z), polynomial(z, {2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2}),
               a_.mad(z, real(-0.5), real(1)));
    const Expr quadrant = a_.add(a_.cast(integer_type(), n), integer(quadrants_further));
    const Expr y = a_.select(has_bit(quadrant, 1), cosine, sine);
    return a_.select(has_bit(quadrant, 2), a_.sub(real(0), y), y);
  }

  Expr exponential(Expr x) { return nan_or(a_, x, a_.call(Intrinsic::kExp, {x})); }

  Expr logarithm(Expr x) {
    using Limits = std::numeric_limits<double>;
    const Expr of_zero = a_.select(a_.eq(x, real(0)), real(-Limits::infinity()), a_.call(Intrinsic::kLog, {x}));
    return nan_or(a_, x, a_.select(a_.lt(x, real(0)), real(Limits::quiet_NaN()), of_zero));
  }

  // Where the bound is reached tanh is 1 to the last bit.
  Expr hyperbolic_tangent(Expr x) {
    const double beyond = 10;
    const Expr below = at_most(x, beyond);
    return a_.call(Intrinsic::kTanh, {a_.select(a_.lt(below, real(-beyond)), real(-beyond), below)});
  }

 private:
  ir::Type integer_type() const { return {DType::kI32, type_.lanes}; }
  Expr real(double value) { return a_.constant(type_, value); }
  Expr integer(int64_t value) { return a_.constant(integer_type(), static_cast<double>(value)); }
  Expr has_bit(Expr whole, int64_t bit) { return a_.eq(a_.bit(ExprKind::kBitAnd, whole, integer(bit)), integer(bit)); }
  // NaN stays.
  Expr at_most(Expr x, double most) { return a_.select(a_.lt(real(most), x), real(most), x); }

  // Horner, highest power first.
  Expr polynomial(Expr x, std::initializer_list<double> coefficients) {
    Expr sum = nullptr;
    for (double c : coefficients) sum = sum ? a_.mad(sum, x, real(c)) : real(c);
    return sum;
  }

  ir::Arena& a_;
  ir::Type type_;
};

}  // namespace

Expr shader_function(ir::Arena& arena, Expr e) {
  Functions functions(arena, e->type);
  const bool is_f32 = e->type.dtype == DType::kF32;
  if (e->intrinsic == Intrinsic::kErf) return functions.error_function(e->args[0]);
  if (e->intrinsic == Intrinsic::kTanh) return functions.hyperbolic_tangent(e->args[0]);
  if (e->intrinsic == Intrinsic::kExp && is_f32) return functions.exponential(e->args[0]);
  if (e->intrinsic == Intrinsic::kLog && is_f32) return functions.logarithm(e->args[0]);
  if (e->intrinsic == Intrinsic::kSin && is_f32) return functions.sine(e->args[0], 0);
  if (e->intrinsic == Intrinsic::kCos && is_f32) return functions.sine(e->args[0], 1);
  return nullptr;
}

}  // namespace hone::emit
