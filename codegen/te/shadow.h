// Shadows: what whole numbers of 64 bits would be where devices compute them in 32, as expressions that a device computes beside them. A number that may leave its
// 32 bits is followed in f32, with a bound of what the f32 is off. Sums and products are right in their last 32 bits whatever they leave on the way, so only
// where one is stored, or used by what is no sum or product, is it compared with its shadow: wrapping changes it by a multiple of 2³².
#pragma once
#include <unordered_map>

#include "codegen/te/intervals.h"
#include "codegen/te/program.h"

namespace hone::te {

// Null members: the number is what it should be; the f32 is exact; nothing can fail.
struct Shadow {
  Expr value = nullptr, error = nullptr;  // f32
  Expr failed = nullptr;                  // bool: a number that this one follows from, or a constant, has left the range
  // Known when compiling, so that most kernels need no error: how large the f32 may be; how large its error, and that in relation to it.
  double size = 0, off = 0, relative = 0;
};

class Shadows {
 public:
  // Both outlive it. Asks `intervals` for the Compute that was followed last.
  Shadows(ir::Arena& arena, Intervals& intervals) : arena_(arena), intervals_(intervals) {}

  // Before a Compute, and again when variables have changed their meaning.
  void forget() { known_.clear(); }
  void set(Var var, Shadow shadow) { known_[var] = shadow; }

  Shadow of(Expr e);
  // Whether e, or a number that it follows from, has left the range where it is used for what is no sum or product. Null: never.
  Expr failure(Expr e);
  // Of two numbers with shadows the shadow of their sum or product: kAdd, kSub or kMul.
  Shadow joined(ir::ExprKind kind, Shadow a, Shadow b);
  // Of a number that is what it should be, as its shadow would be.
  Shadow followed(Expr e);
  // Of what `count` numbers with such a shadow are joined to, kAdd or kMul, what is known when compiling.
  static Shadow accumulated(ir::ExprKind kind, const Shadow& shadow, double count);
  // Does whoever compares the number need its error?
  static bool needs_error(const Shadow& shadow);
  Expr either(Expr a, Expr b);  // null: false
  Expr f32(double value) { return arena_.constant({ir::DType::kF32, 1}, value); }

 private:
  Shadow compute(Expr e);
  Shadow cast(Expr e);
  Shadow select(Expr e);
  Shadow sum(Expr e);
  Shadow use(Expr e);
  Expr failure_beside(Expr e, Expr other, bool compared);
  Expr division_fails(Expr e);
  Expr check(Expr e, const Shadow& shadow);
  Expr within(Expr value);
  Expr plus(Expr a, Expr b);    // null: 0
  Expr times(Expr a, Expr b);
  bool fits(Expr e) { return intervals_.of(e).within(device_range(e->type.dtype)); }

  ir::Arena& arena_;
  Intervals& intervals_;
  std::unordered_map<Expr, Shadow> known_;
};

}  // namespace hone::te
