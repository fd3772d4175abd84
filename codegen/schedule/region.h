// Regions as strided boxes: per axis a base (fixed while the box is visited) plus Σ stride·[0, extent), outermost (largest stride) first.
// A tile whose columns lie a workgroup apart keeps its two strides instead of its bounding interval.
#pragma once
#include <functional>
#include <vector>

#include "base/result.h"
#include "codegen/arith/analyzer.h"

namespace hone::schedule {

struct Level {
  int64_t stride = 1;
  int64_t extent = 1;  // ≥ 1
};

struct Box {
  ir::Expr base = nullptr;
  std::vector<Level> levels;  // at least one
};

// The box of one dimension accessed at `accesses` (over loop variables), where `inner(var)` tells which variables range.
// Fails (illegal_schedule) when an access is not affine in the inner variables.
Result<Box> box_of(arith::Analyzer& analyzer, ir::Arena& arena, const std::vector<ir::Expr>& accesses,
                   const std::function<bool(ir::Var)>& inner);

// Position of `value` in the box, one number per level. Exact for values inside the box.
std::vector<ir::Expr> position_in(arith::Analyzer& analyzer, ir::Arena& arena, const Box& box, ir::Expr value);

}  // namespace hone::schedule
