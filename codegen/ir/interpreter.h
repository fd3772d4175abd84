// The reference meaning of the IR, statement by statement (docs/ir.md). Runs kernels before and after every lowering pass.
//
// All threads of a workgroup run each statement in lockstep; `if` and loops shorter than the workgroup make masks. A loop bound to a thread
// place takes the thread's id along that place and skips the threads beyond its extent, however loops of threads nest; the workgroup is
// Launch.threads, or the extents of the loops where these are larger. Loops of other parallel places run in order.
#pragma once
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "codegen/ir/stmt.h"
#include "codegen/ir/tensor_value.h"

namespace hone::ir {

struct InterpretOptions {
  bool check_races = true;
  int64_t steps_max = 0;   // statement executions over all workgroups; 0 = no limit
  bool nearest_any = false;  // a load flagged any_value yields the nearest element beyond its buffer, as a texture's sampler does, not NaN
};

// args: one value per Kernel.args. A value's shape is the buffer's logical shape, and the buffer's Layout is applied inside (pads hold NaN
// or zero); after flatten_storage, where buffers have no layout, it is the physical array and may be shorter than the buffer, whose
// spare elements then hold NaN. Outputs come back in place; an element that no statement wrote is NaN (integers: kPoison).
// Fails: invalid_argument when args do not fit the kernel; limit_exceeded beyond steps_max; internal, naming the statement, for a data race
// between two barriers or across workgroups, a read of an element never written, an access out of bounds (unless the load is flagged
// any_value, which yields NaN), a store to an input, a barrier that not all threads reach, an index beyond 32 bits.
Status interpret(const Kernel& kernel, std::vector<TensorValue>& args, const InterpretOptions& options = {});

}  // namespace hone::ir
