// Kernels for CPUs without a browser: the agent gets the loop IR and compiles it itself (native_jit.h), for the instructions that its
// machine has, after it has verified it.
//
// The one LaunchSource stands for the whole kernel: code is its text (ir/printer.h, read back by ir/parser.h), with all launches;
// bindings are its arguments that any launch touches. Temporaries and scratch memory are the agent's business: temps is empty.
#pragma once
#include "base/result.h"
#include "codegen/emit/kernel_source.h"
#include "codegen/ir/stmt.h"
#include "codegen/target/target.h"

namespace hone::emit {

// Any thread. Fails: as NativeKernel::create would, but for LLVM's own refusals: LLVM is not asked.
Result<KernelSource> emit_native(const ir::Kernel& kernel, const target::Target& target);

}  // namespace hone::emit
