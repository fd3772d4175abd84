// Kernels for the host's CPU through LLVM ORC, with the instructions that it has.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "codegen/emit/kernel_source.h"
#include "codegen/ir/stmt.h"
#include "codegen/target/target.h"

namespace hone::emit {

class HostJit;

struct HostCpu {
  std::string name;                   // LLVM's: "sapphirerapids", "znver4", "generic"
  std::string architecture;           // "x86_64", "aarch64"
  std::vector<std::string> features;  // LLVM's names, sorted
  int vector_lanes = 4;               // f32 in the widest register
  int vector_registers = 16;
};
HostCpu host_cpu();

// What this machine can do: vectors of as many f32 as its registers hold, of which two are left to operands.
target::Target host_target();

class NativeKernel {
 public:
  struct Launch {
    // args: a pointer per binding, in order, to that buffer; where scratch_bytes is not 0, one more: that many bytes, aligned to 16,
    // that no other call uses at the time. Runs iterations begin … end-1 of `extent`, in any split over threads. Buffers as in
    // emit_wasm.h.
    void (*entry)(void* const* args, int64_t begin, int64_t end) = nullptr;
    int64_t extent = 1;
    std::vector<Binding> bindings;
    int64_t scratch_bytes = 0;
  };

  // Compiles (some 10 ms) for host_target(). Any thread; the kernel may die afterwards. A Mad is fused. Code lives as long as the
  // NativeKernel, and no longer: each has a JIT of its own, whose destruction frees all of it.
  // Fails: unsupported as emit_wasm; internal when LLVM refuses.
  static Result<std::unique_ptr<NativeKernel>> create(const ir::Kernel& kernel);
  ~NativeKernel();
  NativeKernel(const NativeKernel&) = delete;
  NativeKernel& operator=(const NativeKernel&) = delete;

  // The kernel's arguments that any launch touches, and the most that any does to each: what emit_native tells the agent.
  const std::vector<Binding>& arguments() const { return arguments_; }
  const std::vector<Launch>& launches() const { return launches_; }  // one after the other
  const std::vector<Temp>& temps() const { return temps_; }

 private:
  NativeKernel(std::unique_ptr<HostJit> jit, std::vector<Binding> arguments, std::vector<Launch> launches,
               std::vector<Temp> temps);
  std::unique_ptr<HostJit> jit_;
  std::vector<Binding> arguments_;
  std::vector<Launch> launches_;
  std::vector<Temp> temps_;
};

}  // namespace hone::emit
