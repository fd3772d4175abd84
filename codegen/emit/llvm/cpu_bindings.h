// What a CPU's launch takes of its caller.
#pragma once
#include <vector>

#include "base/result.h"
#include "codegen/emit/kernel_source.h"
#include "codegen/ir/stmt.h"

namespace hone::emit {

// What whoever runs kernels keeps free before the first and behind the last buffer: no binding's reach is more.
inline constexpr int64_t kReachBytesMax = 16 << 20;

struct CpuBindings {
  std::vector<Binding> bindings;
  std::vector<ir::Buffer> buffers;  // of the bindings, in their order
};

// The arguments, then the temporaries that the launch touches. Fails: limit_exceeded for reads further beyond a
// buffer than kReachBytesMax; unsupported by an unknown distance.
Result<CpuBindings> bind_cpu(const ir::Kernel& kernel, const ir::Launch& launch);

// The arguments that any launch of the kernel touches, in order, each with the most that any launch does to it. Fails: as bind_cpu.
Result<std::vector<Binding>> bind_arguments(const ir::Kernel& kernel);

int64_t cpu_bytes(ir::Buffer buffer);  // of its elements, rounded up to a multiple of 16

}  // namespace hone::emit
