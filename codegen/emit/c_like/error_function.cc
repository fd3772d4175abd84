#include "codegen/emit/c_like/error_function.h"

namespace hone::emit {

using ir::Expr;

Expr error_function(ir::Arena& arena, Expr x) {
  ir::Type t = x->type;
  auto c = [&](double v) { return arena.constant(t, v); };
  Expr magnitude = arena.call(ir::Intrinsic::kAbs, {x});
  Expr u = arena.div(c(1), arena.mad(c(0.3275911), magnitude, c(1)));
  Expr poly = c(1.061405429);
  for (double a : {-1.453152027, 1.421413741, -0.284496736, 0.254829592}) poly = arena.mad(poly, u, c(a));
  Expr decay = arena.call(ir::Intrinsic::kExp, {arena.sub(c(0), arena.mul(magnitude, magnitude))});
  Expr y = arena.sub(c(1), arena.mul(arena.mul(poly, u), decay));
  return arena.select(arena.lt(x, c(0)), arena.sub(c(0), y), y);
}

}  // namespace hone::emit
