// Pass 3: a schedule as loops. Each root stage becomes a launch whose loops carry their places; attached stages stand at the head of the
// loop body they hang under; reductions become init, update and (unless they accumulate in place) finish nests; writes beyond a stage's
// extents are guarded, reads beyond a tensor's shape are masked, or flagged any_value where only discarded results depend on them.
// Leaves: logical indices on arguments and global temporaries, one flat index on workgroup and register buffers.
#pragma once
#include "codegen/ir/stmt.h"
#include "codegen/schedule/schedule.h"
#include "codegen/te/task.h"

namespace hone::lower {

Result<ir::Kernel> build_loops(const te::Task& task, schedule::Schedule& schedule);

}  // namespace hone::lower
