// The part of the IR's verification that needs interval proofs (ir/verify.h does the rest).
#pragma once
#include "base/result.h"
#include "codegen/ir/stmt.h"

namespace hone::arith {

// Refuses what is certainly wrong; what intervals cannot decide passes, for the interpreter to judge:
// - index arithmetic whose interval leaves 32 bits;
// - an access without mask, outside of any `if` and not flagged any_value, whose index is affine in loop and launch variables (so its
//   interval is exact) and reaches beyond the buffer.
// Index variables defined by `let` are seen through. Fails: internal with the statement.
Status verify_bounds(const ir::Kernel& kernel);

}  // namespace hone::arith
