// Functions that shader languages lack, or leave less exact than a kernel owes, from what they have.
#pragma once
#include "codegen/ir/arena.h"

namespace hone::emit {

// An expression of the same type for the Call e, or null where the language's own serves. Of floats, any lanes; infinities and NaN as docs/ir.md says.
//   erf        |error| ≤ 5e-7, of which the formula has 1.5e-7
//   sin, cos   of f32, |error| ≤ 2e-7 up to |x| = 8192; theirs may err by 2^-11
//   exp        of f32, theirs, but NaN of NaN
//   log        of f32, theirs, but -infinity of 0 and NaN of NaN and of what is negative
//   tanh       theirs, but of large arguments ±1: theirs is a quotient of exponentials, which may be infinite
ir::Expr shader_function(ir::Arena& arena, ir::Expr e);

}  // namespace hone::emit
