#include "codegen/lower/in_halves.h"

namespace hone::lower {

using ir::Expr;
using ir::ExprKind;

Expr in_halves(ir::Arena& arena, Expr e) {
  const auto arg = [&](size_t i) { return in_halves(arena, e->args[i]); };
  switch (e->kind) {
    case ExprKind::kAdd:
      return arena.add(arg(0), arg(1));
    case ExprKind::kSub:
      return arena.sub(arg(0), arg(1));
    case ExprKind::kMul:
      return arena.mul(arg(0), arg(1));
    case ExprKind::kSelect:
      return arena.select(e->args[0], arg(1), arg(2));
    default:
      return arena.cast({ir::DType::kF16, e->type.lanes}, e);
  }
}

}  // namespace hone::lower
