// How a sum in f16 computes what it adds up. Part of build_loops.
#pragma once
#include "codegen/ir/arena.h"

namespace hone::lower {

// e, of f32, as a number of f16: sums, differences and products in it are computed in f16, of rounded operands; all else is computed as it is, and
// rounded.
ir::Expr in_halves(ir::Arena& arena, ir::Expr e);

}  // namespace hone::lower
