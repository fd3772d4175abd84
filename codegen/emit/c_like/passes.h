// Passes of raise that languages of this kind share: each takes from the IR something that they lack, or mean otherwise.
#pragma once
#include "codegen/ir/arena.h"

namespace hone::emit {

// Variables, buffers and values of i8, i16, u8 and u16 become i32 and u32, wrapped where they may have left their range. Where a launch has
// packed products (dot4), four numbers of 8 bits are one word of u32 instead, the first of them lowest.
ir::Kernel widen_small_integers(const ir::Kernel& kernel);

// Values that a statement uses several times get a name, so that a printer, which writes expressions out, writes and reads them once. So do
// texels that several statements of a block read. For targets whose reads never fault: a value of one arm of a select is computed always.
ir::Stmt share_values(ir::Arena& arena, ir::Stmt body);

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
