// A kernel's launches in an LLVM module, for the host's JIT and for objects.
#pragma once
#include <functional>

#include "base/result.h"
#include "codegen/emit/llvm/launch_emitter.h"
#include "codegen/emit/native_code.h"

namespace hone::emit {

// Adds every launch to the module, as symbol_of names it. kernel: raised (raise_cpu.h). The object's part is the module's.
// Fails: as check_cpu_launch and bind_cpu.
Result<NativeKernelCode> emit_native_launches(llvm::Module& module, const ir::Kernel& kernel, LaunchConfig::Mad mad,
                                              const std::function<std::string(size_t launch)>& symbol_of);

}  // namespace hone::emit
