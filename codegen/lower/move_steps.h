// Step functions (floor, ceil, round, trunc) jump: where their argument lies next to a jump, the rounding of a sum decides on which side it
// falls, and two right kernels differ by a whole step. A reference whose arguments are moved a little tells where that is so.
#pragma once
#include "codegen/ir/stmt.h"

namespace hone::lower {

// True where a step function is taken of a float that is computed: not of what an input holds, nor of a whole number.
bool has_steps(const ir::Kernel& kernel);

// The same kernel with `by` added to each such argument. In the kernel's arena.
ir::Kernel with_steps_moved(const ir::Kernel& kernel, double by);

}  // namespace hone::lower
