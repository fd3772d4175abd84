// Min and Max of floats as the IR means them, from those of languages that leave a NaN's fate open.
#pragma once
#include "codegen/ir/arena.h"

namespace hone::emit {

// What a compiler makes of comparisons. kIeee: a NaN differs from itself. kFast: it may assume that there is none (WGSL, section "Floating Point
// Evaluation"; GLSL ES 3.0, 4.5.1), so that only the bits tell.
enum class Comparisons : uint8_t { kIeee, kFast };

// e: a Min or Max of floats, any lanes. NaN if an operand is. With kFast the result's own Min or Max may give anything where an operand is NaN.
ir::Expr passing_nan(ir::Arena& arena, ir::Expr e, Comparisons comparisons);

// x where its bits are those of a NaN, else y. x, y: floats of one type.
ir::Expr nan_or(ir::Arena& arena, ir::Expr x, ir::Expr y);

}  // namespace hone::emit
