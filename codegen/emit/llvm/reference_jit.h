// Runs serial kernels (lower/reference_loops.h) on the host through LLVM ORC. All LLVM headers stay in reference_jit.cc.
#pragma once
#include <memory>
#include <span>

#include "base/cancel.h"
#include "base/result.h"
#include "codegen/ir/stmt.h"

namespace hone::emit {

class ReferenceJit {
 public:
  // Compiles (some 10 ms). Any thread; each instance has its own LLVM context. The kernel may die afterwards.
  // Needs: verify(kernel, kFlat). Fails: unsupported for vectors, blocks, threads, barriers and atomics; internal when LLVM refuses.
  static Result<std::unique_ptr<ReferenceJit>> create(const ir::Kernel& kernel);
  ~ReferenceJit();
  ReferenceJit(const ReferenceJit&) = delete;
  ReferenceJit& operator=(const ReferenceJit&) = delete;

  struct RunOptions {
    int threads_max = 2;  // for loops at place `core`; small launches stay on the calling thread
    const CancelToken* cancel = nullptr;  // heard between parts of such loops, some tenths of a second apart; null: nobody cancels
  };
  // args: one pointer per Kernel.args to its elements in the buffer's type (bool: one byte; index: int32), no two overlapping an output.
  // The caller's thread works too; returns when all is written. Fails: invalid_argument for a wrong count; out_of_memory;
  // cancelled.
  Status run(std::span<void* const> args, RunOptions options) const;
  Status run(std::span<void* const> args) const { return run(args, RunOptions()); }

 private:
  struct State;
  explicit ReferenceJit(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace hone::emit
