// Quotients and remainders of whole numbers as the IR means them, from those of shader languages, which round towards zero and leave division by
// zero open.
#pragma once
#include "codegen/ir/arena.h"

namespace hone::emit {

// e: a Div or Mod of i32 or u32, any lanes. The result's own Div rounds towards zero, and its divisor is never 0 (nor -1 for the least number).
ir::Expr whole_division(ir::Arena& arena, ir::Expr e);

}  // namespace hone::emit
