// OpenCL C 1.2 from a lowered kernel: a program with one kernel, kOpenClEntry, per launch. Its arguments are pointers to the bindings' buffers,
// in their order; the work-group size stands in the program. Floats are contracted in multiply-adds alone. No extension is used.
#pragma once
#include "base/result.h"
#include "codegen/emit/kernel_source.h"
#include "codegen/ir/stmt.h"

namespace hone::emit {

inline constexpr const char* kOpenClEntry = "run_kernel";  // `main` is none that OpenCL C accepts

Result<KernelSource> emit_opencl(const ir::Kernel& kernel);

}  // namespace hone::emit
