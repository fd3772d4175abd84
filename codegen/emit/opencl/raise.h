// What OpenCL C lacks is removed here, so that the printer only prints.
#pragma once
#include "base/result.h"
#include "codegen/ir/stmt.h"

namespace hone::emit {

/// Reads that may lie outside of a buffer are moved into it, and masked loads become a select over such a read: pointers are checked by nobody.
/// Whole numbers and indices divide as docs/ir.md says, 8 and 16 bits are widened, a NaN becomes the whole number 0.
/// Fails: kUnsupported for buffers of other elements than f32, i32 and u32.
Result<ir::Kernel> raise_opencl(const ir::Kernel& kernel);

}  // namespace hone::emit
