// What a task's kernels must compute: the task's reference on deterministic inputs.
#pragma once
#include <cstdint>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "base/value_range.h"
#include "codegen/emit/llvm/reference_run.h"
#include "codegen/te/task.h"

namespace hone::emit {

// The seed from which the seeds of a task's arguments are drawn, as in hone.v1: argument p has hash_mix(task_seed, p).
uint64_t task_seed(const te::Task& task);

// No task has more sets of inputs: one for each lane of PickedLanes. hone.v1's prepare_task holds as many.
inline constexpr int64_t kInputSetsMax = 68;

struct Reference {
  double tolerance = 0;                     // what a kernel may err on these inputs, relative as te::Accuracy's
  std::vector<ValueRange> ranges;           // per input: what it was filled with
  std::vector<Outputs> sets;                // for each set of inputs, one at least, kInputSetsMax at most
  std::vector<uint64_t> more_seeds;         // of the sets behind the first, whose seed is the task's
};

// Fills inputs and constants (element at logical linear index i of argument p: real_at(range, hash_mix(seed, p), i), converted to the
// argument's type; whole_at for whole numbers) and computes the outputs, on several sets of inputs where the task has
// few elements, on one mostly. Of a maximum and its like the sets' results come from all lanes of the inputs (picked_lanes.h). The ranges are
// te::input_ranges', scaled where results of 8 or 16 bits
// would all saturate, or none. Floats of a task that may err by more than usual (te::loosen), as kernels in f16 do, are whole numbers where
// none of its values has to be rounded then (te/exact_inputs.h); its kernels owe the usual tolerance on them. Where a step function jumps within the rounding of its argument, so that two right kernels differ by a step,
// the element is kUnspecifiedBits (base/unspecified.h). Computed in f64 by the unscheduled loop nest, compiled for
// the host; any thread, two threads of work. `cancel`: as ReferenceJit::RunOptions. Fails: as reference_loops, ReferenceJit::create and run.
Result<Reference> reference_outputs(const te::Task& task, uint64_t task_seed, const CancelToken* cancel = nullptr);
// What reference_outputs takes at most beside its result: inputs and outputs in their types, what lies between in 8 bytes an element.
int64_t reference_bytes(const te::Task& task);
// The bytes of its result, at most.
int64_t reference_result_bytes(const te::Task& task);
// The arithmetic that it takes at most: operations of the definition, an element that is drawn or written for one, in all runs.
double reference_operations_max(const te::Task& task);

}  // namespace hone::emit
