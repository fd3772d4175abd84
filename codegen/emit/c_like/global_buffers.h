// Which of a kernel's buffers a launch takes from its caller, for languages whose launches bind buffers one by one.
#pragma once
#include <vector>

#include "codegen/emit/kernel_source.h"
#include "codegen/ir/stmt.h"

namespace hone::emit {

struct GlobalBuffer {
  ir::Buffer buffer;
  Binding binding;  // kind, position and writes
};

// The arguments, then the temporaries, that the launch touches, each in the kernel's order.
std::vector<GlobalBuffer> global_buffers(const ir::Kernel& kernel, const ir::Launch& launch);

// No language has empty arrays: a tensor without elements is bound as one element that no value depends on.
int64_t elements_bound(ir::Buffer buffer);

}  // namespace hone::emit
