// Functions of f32 as arithmetic of f32, so that they run in vector lanes and need no library.
#pragma once
#include "codegen/ir/arena.h"

namespace hone::emit {

// An expression of the same type for the Call e, or null where there is none. Of f32, lanes as they are:
//   exp   within 2 ulp; what is less than 1.7e-38 is 0, what is more than a float holds infinity
//   log   within 2 ulp; 0 gives -infinity, negative arguments NaN
//   tanh  within 7 ulp; beyond ±8.08 ±1 exactly
//   erf   within 8 ulp; beyond ±3.84 ±1 exactly
// of arguments from -infinity to infinity, subnormal ones included; NaN gives NaN. Each holds whether a Mad rounds once or twice; tanh and
// erf were tried both ways on every float from 0.001 to where they are 1 (with one rounding they are within 5 and 7).
//   pow   of any float type with a literal exponent of 1, 2, 3 or 4: products
ir::Expr expand_function(ir::Arena& arena, ir::Expr e);

}  // namespace hone::emit
