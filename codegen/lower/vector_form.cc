#include "codegen/lower/vector_form.h"

namespace hone::lower {

using ir::ExprKind;

namespace {

bool is_numeric(ir::Expr e) { return e->type.dtype != ir::DType::kBool && e->type.dtype != ir::DType::kIndex; }

bool is_float(ir::Expr e) { return ir::is_float(e->type.dtype); }

}  // namespace

bool has_vector_form(ir::Expr e) {
  switch (e->kind) {
    case ExprKind::kAdd:
    case ExprKind::kSub:
    case ExprKind::kMul:
    case ExprKind::kDiv:
    case ExprKind::kMad:
    case ExprKind::kMin:
    case ExprKind::kMax:
    case ExprKind::kCall:
      return is_float(e) || e->type.dtype == ir::DType::kI32 || e->type.dtype == ir::DType::kU32;
    case ExprKind::kCast:
      return is_numeric(e) && is_numeric(e->args[0]);
    case ExprKind::kEq:
    case ExprKind::kLt:
    case ExprKind::kLe:
      return is_float(e->args[0]);
    case ExprKind::kSelect:
      return true;
    default:
      return false;
  }
}

}  // namespace hone::lower
