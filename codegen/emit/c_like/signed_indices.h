// Index arithmetic that may be negative, for languages whose whole numbers round towards zero, or whose indices are unsigned.
#pragma once
#include "codegen/ir/arena.h"

namespace hone::emit {

// How a language prints an index, which is signed in the IR. kSigned: as a signed number; quotients and remainders by powers of 2 are
// shifts and masks, which floor. kUnsigned: as the same 32 bits, unsigned.
enum class IndexSign : uint8_t { kSigned, kUnsigned };

// The body of a launch with the same values, where
//   - each index Div and Mod by a constant has a positive divisor and, but for powers of 2 with kSigned, no negative dividend: it
//     is lifted by a multiple of the divisor;
//   - with kUnsigned, index Min, Max, Lt and Le of what may be negative are those of i32, by bitcasts from and to the index.
// Intervals decide; a let's variable has that of its value. Needs: nothing runs afterwards that folds or shares values.
ir::Stmt raise_signed_indices(ir::Arena& arena, ir::Stmt body, IndexSign sign);

}  // namespace hone::emit
