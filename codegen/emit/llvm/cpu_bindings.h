// What a CPU's launch takes of its caller.
#pragma once
#include <vector>

#include "base/result.h"
#include "codegen/emit/kernel_source.h"
#include "codegen/ir/stmt.h"

namespace hone::emit {

struct CpuBindings {
  std::vector<Binding> bindings;
  std::vector<ir::Buffer> buffers;  // of the bindings, in their order
};

// The arguments, then the temporaries that the launch touches. Fails: unsupported for reads beyond a buffer by an unknown distance.
Result<CpuBindings> bind_cpu(const ir::Kernel& kernel, const ir::Launch& launch);

int64_t cpu_bytes(ir::Buffer buffer);  // of its elements, rounded up to a multiple of 16

}  // namespace hone::emit
