// How a temporary in global memory lies. Part of build_loops.
#pragma once
#include "codegen/schedule/schedule.h"

namespace hone::lower {

// As its stage's loops run: the axis of the innermost loop is contiguous.
ir::Layout temp_layout(const schedule::Stage& stage);

}  // namespace hone::lower
