#include "codegen/emit/c_like/whole_division.h"

#include <cstdint>

namespace hone::emit {

using ir::Expr;

namespace {

class Division {
 public:
  Division(ir::Arena& arena, Expr e) : a_(arena), type_(e->type), x_(e->args[0]), y_(e->args[1]), quotient_(e->kind == ir::ExprKind::kDiv) {}

  Expr unsigned_numbers() {
    const Expr by_zero = a_.eq(y_, number(0)), divisor = a_.select(by_zero, number(1), y_);
    const Expr result = quotient_ ? a_.div(x_, divisor) : rest(a_.div(x_, divisor), divisor);
    return a_.select(by_zero, number(0), result);
  }

  Expr signed_numbers() {
    const Expr by_zero = a_.eq(y_, number(0)), by_minus_one = a_.eq(y_, number(-1));
    const Expr divisor = a_.select(a_.logical_or(by_zero, by_minus_one), number(1), y_);
    const Expr towards_zero = a_.div(x_, divisor), left = rest(towards_zero, divisor);
    const Expr zero = number(0);
    const Expr inexact = a_.logical_not(a_.eq(left, zero));
    const Expr beyond = a_.logical_and(inexact, a_.lt(a_.bit(ir::ExprKind::kBitXor, left, divisor), zero));  // signs differ
    const Expr floored = quotient_ ? a_.select(beyond, a_.sub(towards_zero, number(1)), towards_zero)
                                   : a_.select(beyond, a_.add(left, divisor), left);
    const Expr negated = quotient_ ? a_.sub(zero, x_) : zero;
    return a_.select(by_zero, zero, a_.select(by_minus_one, negated, floored));
  }

 private:
  Expr number(int64_t v) { return a_.constant(type_, static_cast<double>(v)); }
  Expr rest(Expr quotient, Expr divisor) { return a_.sub(x_, a_.mul(quotient, divisor)); }

  ir::Arena& a_;
  const ir::Type type_;
  const Expr x_, y_;
  const bool quotient_;
};

}  // namespace

Expr whole_division(ir::Arena& arena, Expr e) {
  Division division(arena, e);
  return ir::is_unsigned(e->type.dtype) ? division.unsigned_numbers() : division.signed_numbers();
}

}  // namespace hone::emit
