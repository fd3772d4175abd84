// WGSL from a lowered kernel: one module and entry point "main" per launch, fixed-size arrays, block ids clamped to the grid (so that the
// browser's compiler can drop its own bounds checks), index arithmetic in u32.
#pragma once
#include "base/result.h"
#include "codegen/emit/kernel_source.h"
#include "codegen/ir/stmt.h"

namespace hone::emit {

Result<KernelSource> emit_wgsl(const ir::Kernel& kernel);

}  // namespace hone::emit
