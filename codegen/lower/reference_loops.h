// The unscheduled loop nest of a task: the slow, obvious kernel that others are judged by.
#pragma once
#include "codegen/ir/stmt.h"
#include "codegen/te/task.h"

namespace hone::lower {

// One launch per compute, grid and threads 1: loops over the axes of extent > 1 in their order, the outermost at place `core` (it may run
// in parallel), then serial loops over the reduce axes. Of a reduction, some neighbours along the innermost axis run inside of these, each in its own
// accumulator, in the order that it has alone. All float arithmetic, accumulators and intermediate tensors (temps) are f64; only
// the stores to outputs round. Arguments are the program's inputs and outputs, logical row-major, flat; Task.args' layouts do not count.
// A load that intervals do not prove in bounds is masked by the conditions of the selects around it.
// Needs: verify_te holds. Fails: unsupported for a tensor of 2^31 or more elements.
Result<ir::Kernel> reference_loops(const te::Task& task);

}  // namespace hone::lower
