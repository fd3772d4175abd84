// The passes after build_loops, in the order in which pipeline.cc runs them. Each is a pure function from kernel to kernel over the same
// arena. All fail with kUnsupported or kLimitExceeded and one sentence.
#pragma once
#include "base/result.h"
#include "codegen/ir/stmt.h"
#include "codegen/target/target.h"

namespace hone::lower {

/// Every access to an argument or global temporary gets one flat index through the buffer's layout; buffers become one-dimensional,
/// rounded up to a multiple of 4 elements. On textures it gets the layer, the row and the position in the row instead, buffers have these
/// three extents, arg_layouts become rows of whole texels, and stores are unconditional. Needs: build_loops' output. Leaves: one index per
/// access. Fails: kLimitExceeded for a tensor that no texture holds.
Result<ir::Kernel> flatten_storage(const ir::Kernel& kernel, const target::Target& target);

/// Serial loops whose body tests their variable run up to the last iteration that needs no test, then the rest as a second copy
/// (tails of reductions). Needs: loops start at 0. Leaves: fewer Ifs; variables unique.
Result<ir::Kernel> partition_loops(const ir::Kernel& kernel);

/// Each vectorize loop becomes vector statements; what cannot be a vector operation is done lane by lane. Leaves: no vectorize loop.
Result<ir::Kernel> vectorize_loops(const ir::Kernel& kernel);

/// Each unroll loop becomes copies of its body. Leaves: no unroll loop. Fails: kLimitExceeded beyond the target's code budget.
Result<ir::Kernel> unroll_loops(const ir::Kernel& kernel, const target::Target& target);

/// Chooses the element width of every buffer: vectors where aligned vector accesses exist and no narrower store does; rewrites accesses
/// to whole elements. Textures have elements of 4. Leaves: no Ramp in an index. Fails: kIllegalSchedule for a store of less than a texel.
Result<ir::Kernel> plan_vectors(const ir::Kernel& kernel);

/// Register buffers that are only indexed by constants become single variables (buffers of one element); a variable that is written once
/// before all its reads in one block becomes a Let.
Result<ir::Kernel> registerize(const ir::Kernel& kernel);

/// Loops bound to blocks and threads become grid and thread variables of the launch. Fails: kLimitExceeded.
Result<ir::Kernel> split_launches(const ir::Kernel& kernel);

/// Index arithmetic and conditions are computed once, in the outermost loop that knows their variables, and shared. Literal offsets stay
/// with the access.
Result<ir::Kernel> reduce_index_strength(const ir::Kernel& kernel);

/// What every kernel that is printed has passed: the IR's invariants, bounds and 32-bit indices (fails: internal), and the limits of the device:
/// threads, workgroup bytes, bindings, grid, buffer sizes.
Status verify_for(const ir::Kernel& kernel, const target::Target& target);

}  // namespace hone::lower
