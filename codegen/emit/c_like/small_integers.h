// Whole numbers of 8 and 16 bits, which shading languages lack.
#pragma once
#include "codegen/ir/stmt.h"

namespace hone::emit {

// Variables, buffers and values of i8, i16, u8 and u16 become i32 and u32, wrapped where they may have left their range. Where a launch has
// packed products (dot4), four numbers of 8 bits are one word of u32 instead, the first of them lowest.
ir::Kernel widen_small_integers(const ir::Kernel& kernel);

}  // namespace hone::emit
