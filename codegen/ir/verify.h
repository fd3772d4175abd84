// The invariants of the IR. Each lowering pass is followed by a verify; a violation is our bug, never the user's.
#pragma once
#include "base/result.h"
#include "codegen/ir/stmt.h"

namespace hone::ir {

// What holds from a stage on, besides everything before it.
enum class VerifyStage : uint8_t {
  kLoops,     // logical accesses: one index per dimension; loops bound to places stand in the body
  kFlat,      // after flatten_storage: buffers have one extent and no layout, accesses one index
  kStraight,  // after unroll_loops: no loop is marked unroll or vectorize
  kLaunched,  // after split_launches: no loop is bound to a block or thread; variables stand for grid and threads
};

// Always: operands' types agree; constants lie in their type's range; each variable and each allocated buffer is defined once and used only
// where it is visible; accesses name args, temps or allocated buffers; inputs are never written; masks, lanes and values fit; barriers stand
// under uniform control flow; loop extents are not negative and variables' ranges cover them.
// Interval proofs (bounds, 32-bit indices) are arith/verify_bounds.h. Fails: internal with the statement.
Status verify(const Kernel& kernel, VerifyStage stage);

// The types of one expression and its operands. Fails: internal.
Status verify_types(Expr e);

}  // namespace hone::ir
