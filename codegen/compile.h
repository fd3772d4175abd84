// The compiler's front door: task + trace + target → kernel, as one pure function. Used by the tuner's builder, `hone compile` and tests.
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "codegen/emit/kernel_source.h"
#include "codegen/ir/stmt.h"
#include "codegen/schedule/trace.h"
#include "codegen/target/target.h"
#include "codegen/te/task.h"

namespace hone {

// Called after each pass with its name and the IR text; only when set (printing costs time).
using DumpSink = std::function<void(std::string_view pass, const std::string& text)>;

Result<emit::KernelSource> compile_kernel(const te::Task& task, const schedule::Trace& trace,
                                          const target::Target& target, const DumpSink& dump = nullptr);

// The text of a kernel that lower_kernel made of `task` for `target`, with the layouts that it wants its arguments in. Part of compile_kernel.
Result<emit::KernelSource> kernel_source(const te::Task& task, const ir::Kernel& lowered, const target::Target& target);

// The yardstick schedule `naive-v1`: one thread per output element, 8×8 threads over the two innermost axes, no tiling, vectors, staging
// or unrolling; on cores one output element after the other. Legal wherever the device holds the task's tensors.
// Fails: limit_exceeded where it does not (a tensor that no texture holds), or its limits are below what its API guarantees.
Result<schedule::Trace> baseline_trace(const te::Task& task, const target::Target& target);

}  // namespace hone
