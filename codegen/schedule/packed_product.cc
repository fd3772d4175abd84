#include "codegen/schedule/packed_product.h"

#include "codegen/schedule/half_sum.h"

namespace hone::schedule {

using ir::Expr;
using ir::ExprKind;

namespace {

bool widens_byte(Expr e) {
  return e->kind == ExprKind::kCast && ir::is_int(e->args[0]->type.dtype) &&
         ir::size_bytes(e->args[0]->type.dtype) == 1;
}

}  // namespace

std::optional<PackedProduct> packed_product(const te::Compute& compute) {
  if (!compute.reduce || !is_sum(compute.reduce->combiner, ir::DType::kI32) || compute.value[0]->kind != ExprKind::kMul)
    return std::nullopt;
  const Expr a = compute.value[0]->args[0], b = compute.value[0]->args[1];
  if (!widens_byte(a) || !widens_byte(b) || a->args[0]->type != b->args[0]->type) return std::nullopt;
  return PackedProduct{a->args[0], b->args[0]};
}

}  // namespace hone::schedule
