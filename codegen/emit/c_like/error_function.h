// The error function, which shader languages lack, from what they have.
#pragma once
#include "codegen/ir/arena.h"

namespace hone::emit {

// Abramowitz and Stegun, Handbook of Mathematical Functions, 7.1.26: |error| ≤ 1.5e-7. x: floats, any lanes.
ir::Expr error_function(ir::Arena& arena, ir::Expr x);

}  // namespace hone::emit
