#include "codegen/schedule/packed_product.h"

#include "codegen/schedule/half_sum.h"

namespace hone::schedule {

using ir::Expr;
using ir::ExprKind;

Expr widened_byte(Expr e) {
  const bool widens = e->kind == ExprKind::kCast && e->type.dtype == ir::DType::kI32 && ir::is_int(e->args[0]->type.dtype) &&
                      ir::size_bytes(e->args[0]->type.dtype) == 1;
  return widens ? e->args[0] : nullptr;
}

std::optional<PackedProduct> packed_product(const te::Compute& compute) {
  if (!compute.reduce || !is_sum(compute.reduce->combiner, ir::DType::kI32) || compute.value[0]->kind != ExprKind::kMul)
    return std::nullopt;
  const Expr a = widened_byte(compute.value[0]->args[0]), b = widened_byte(compute.value[0]->args[1]);
  if (!a || !b || a->type != b->type) return std::nullopt;
  return PackedProduct{a, b};
}

}  // namespace hone::schedule
