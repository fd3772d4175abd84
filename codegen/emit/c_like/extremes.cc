#include "codegen/emit/c_like/extremes.h"

#include <utility>

namespace hone::emit {

using ir::DType;
using ir::Expr;
using ir::ExprKind;

namespace {

// The exponent's bits are ones and another is set: beyond those of an infinity.
Expr has_bits_of_nan(ir::Arena& a, Expr e) {
  const ir::Type word{DType::kU32, e->type.lanes};
  const Expr bits = a.bitcast(word, a.cast({DType::kF32, e->type.lanes}, e));
  return a.lt(a.constant(word, 0x7f800000), a.bit(ExprKind::kBitAnd, bits, a.constant(word, 0x7fffffff)));
}

Expr by_comparison(ir::Arena& a, ExprKind kind, Expr x, Expr y) {
  return a.select(kind == ExprKind::kMin ? a.lt(y, x) : a.lt(x, y), y, x);
}

}  // namespace

Expr passing_nan(ir::Arena& arena, Expr e, Comparisons comparisons) {
  Expr x = e->args[0], y = e->args[1];
  if (ir::is_number(x)) std::swap(x, y);
  if (comparisons == Comparisons::kIeee) {
    const Expr extreme = by_comparison(arena, e->kind, x, y);  // of a NaN x it is x
    return ir::is_number(y) ? extreme : arena.select(arena.eq(y, y), extreme, y);
  }
  Expr out = e;
  for (Expr operand : {y, x})
    if (!ir::is_number(operand)) out = nan_or(arena, operand, out);
  return out;
}

Expr nan_or(ir::Arena& arena, Expr x, Expr y) { return arena.select(has_bits_of_nan(arena, x), x, y); }

}  // namespace hone::emit
