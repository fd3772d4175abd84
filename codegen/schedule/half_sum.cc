#include "codegen/schedule/half_sum.h"

#include "codegen/schedule/schedule.h"

namespace hone::schedule {

bool is_sum(const te::Combiner& c, ir::DType dtype) {
  if (c.acc.size() != 1 || c.combine[0]->kind != ir::ExprKind::kAdd || c.acc[0]->type.dtype != dtype) return false;
  const Expr a = c.combine[0]->args[0], b = c.combine[0]->args[1];
  return (a == c.acc[0] && b == c.val[0]) || (a == c.val[0] && b == c.acc[0]);
}

double half_sum_error(int64_t terms) { return static_cast<double>(terms + 2) * kF16Rounding; }

bool computes_halves(const target::Target& target) { return target.has_f16 && !target::on_textures(target.kind); }

}  // namespace hone::schedule
