// WebAssembly modules from a lowered kernel, through LLVM in this process.
//
// LaunchSource.code is the bytes of one module. It imports env.memory (shared where target.has_threads) and such functions of libm as
// the launch calls and no instruction sequence replaces: of f32 env.sinf, cosf, powf; of f64 env.exp, log, tanh, erf, sin, cos, pow.
// It exports
//   main(args: i32, begin: i32, end: i32)
// args: address of one i32 per binding, in order, each the address of that buffer; where scratch_bytes is not 0, one more: that many
// bytes, aligned to 16, that no other call uses at the time. main runs iterations begin … end-1 of grid[0], in any split over threads;
// the grid is {n, 1, 1} and threads {1, 1, 1}. Buffers are aligned to their elements' scalars (16 is faster), as large as the binding
// says, do not overlap and are not modified by others while main runs. Reads may reach a binding's reach_bytes beyond its buffer: keep
// as much memory before the first and behind the last one, or kReachBytesMax (cpu_bindings.h) once and for all.
#pragma once
#include "base/result.h"
#include "codegen/emit/kernel_source.h"
#include "codegen/ir/stmt.h"
#include "codegen/target/target.h"

namespace hone::emit {

// Any thread. Fails: unsupported for what a CPU's launch cannot be (check_cpu_launch), for f16 and bf16, and for reads beyond a buffer
// by an unknown distance; limit_exceeded for reads further beyond it than kReachBytesMax; internal when LLVM refuses.
Result<KernelSource> emit_wasm(const ir::Kernel& kernel, const target::Target& target);

// The modules' LLVM assembly, one after the other: for people and tests.
Result<std::string> wasm_assembly(const ir::Kernel& kernel, const target::Target& target);

}  // namespace hone::emit
