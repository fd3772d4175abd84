// What WGSL lacks is removed here, so that the printer only prints.
#pragma once
#include "base/result.h"
#include "codegen/ir/stmt.h"

namespace hone::emit {

/// Masked loads become a select over a load that may lie out of bounds (WGSL reads are safe); functions become arithmetic (shader_functions.h); floats become whole numbers as docs/ir.md says;
/// 64-bit types narrow to 32; what may be negative of indices, which WGSL has unsigned, is lifted or computed as i32. Fails: kUnsupported for element types that have no WGSL storage form yet (8 bits, and 16 bits of arguments).
Result<ir::Kernel> raise_wgsl(const ir::Kernel& kernel);

}  // namespace hone::emit
