// Kernels for CPUs other than the host's: an ELF object for programs that are linked elsewhere.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "codegen/emit/native_code.h"
#include "codegen/target/cpu_level.h"

namespace hone::emit {

// kernels: texts as emit_native makes them. prefix: of all symbols, which are hidden from outside of the program or library that the object is
// linked into. The code is independent of its position; it refers to functions of libm alone (sinf, powf and the like). The machine that compiles
// needs no such CPU. Some 10 ms a kernel; any thread. A Mad is fused where the level has the instruction.
// Fails: as NativeKernel::create; unsupported where this LLVM has no code generator for the level.
Result<NativeCode> native_object(const std::vector<std::string>& kernels, const target::CpuLevel& level,
                                 const std::string& prefix);

}  // namespace hone::emit
