#include "codegen/compile.h"

#include <algorithm>

#if HONE_HAS_LLVM
#include "codegen/emit/llvm/emit_native.h"
#include "codegen/emit/llvm/emit_wasm.h"
#endif
#include "codegen/emit/glsl/emit_glsl.h"
#include "codegen/emit/opencl/emit_opencl.h"
#include "codegen/emit/wgsl/emit_wgsl.h"
#include "codegen/lower/launches_ahead.h"
#include "codegen/lower/pipeline.h"

namespace hone {

namespace {

bool binds(const emit::KernelSource& source, size_t argument) {
  const auto is_it = [&](const emit::Binding& b) { return b.kind == emit::Binding::Kind::kArg && b.position == static_cast<int>(argument); };
  return std::any_of(source.launches.begin(), source.launches.end(), [&](const emit::LaunchSource& launch) {
    return std::any_of(launch.bindings.begin(), launch.bindings.end(), is_it);
  });
}

// Of arguments that a launch binds: one that nobody reads (the index into a tensor of one row) lies as it likes.
emit::KernelSource with_layouts(emit::KernelSource source, const te::Task& task, const ir::Kernel& kernel) {
  const size_t inputs = task.program.inputs.size();
  for (size_t i = 0; i < task.args.size(); ++i) {
    const ir::Layout& wanted = kernel.arg_layouts[i];
    te::Tensor tensor = i < inputs ? task.program.inputs[i] : task.program.outputs[i - inputs];
    const ir::DType stored = kernel.args[i]->dtype;
    if ((wanted == task.args[i].layout && stored == tensor->dtype) || !binds(source, i)) continue;
    const int64_t bytes = ir::element_count(ir::physical_shape(tensor->shape, wanted)) * ir::size_bytes(stored);
    source.layouts.push_back({static_cast<int>(i), wanted, bytes, stored});
  }
  if (!source.layouts.empty()) source.hash = emit::hash_source(source);
  return source;
}

emit::KernelSource with_launches_ahead(emit::KernelSource source, const te::Task& task, const ir::Kernel& kernel,
                                       const target::Target& target) {
  const std::vector<bool> ahead = lower::launches_ahead(task, kernel, target);
  if (std::find(ahead.begin(), ahead.end(), true) == ahead.end()) return source;
  for (size_t i = 0; i < ahead.size(); i++) source.launches[i].ahead = ahead[i];
  source.hash = emit::hash_source(source);
  return source;
}

using Emitter = Result<emit::KernelSource> (*)(const ir::Kernel&, const target::Target&);

Result<emit::KernelSource> emit_wgsl(const ir::Kernel& kernel, const target::Target&) {
  return emit::emit_wgsl(kernel);
}

Result<emit::KernelSource> emit_opencl(const ir::Kernel& kernel, const target::Target&) {
  return emit::emit_opencl(kernel);
}

// Null: none. The page has no LLVM (HONE_CODEGEN_ONLY).
Emitter emitter_of(target::Kind kind) {
  switch (kind) {
    case target::Kind::kWebGpu:
      return emit_wgsl;
    case target::Kind::kOpenCl:
      return emit_opencl;
    case target::Kind::kWasm:
#if HONE_HAS_LLVM
      return emit::emit_wasm;
#endif
    case target::Kind::kNative:
#if HONE_HAS_LLVM
      return emit::emit_native;
#endif
    case target::Kind::kWebGl:
    case target::Kind::kOpenGl:
      return emit::emit_glsl;
  }
  return nullptr;
}

}  // namespace

Result<emit::KernelSource> kernel_source(const te::Task& task, const ir::Kernel& lowered, const target::Target& target) {
  const Emitter emitter = emitter_of(target.kind);
  if (!emitter)
    return Error{ErrorCode::kUnsupported, "target " + target::kind_name(target.kind) + " has no emitter in this build"};
  HONE_ASSIGN(source, emitter(lowered, target));
  return with_launches_ahead(with_layouts(std::move(source), task, lowered), task, lowered, target);
}

Result<emit::KernelSource> compile_kernel(const te::Task& task, const schedule::Trace& trace,
                                          const target::Target& target, const DumpSink& dump) {
  bool empty = true;
  for (te::Tensor out : task.program.outputs) empty = empty && ir::element_count(out->shape) == 0;
  if (empty) return emit::KernelSource{};  // nothing to compute: no launch
  HONE_ASSIGN(kernel, lower::lower_kernel(task, trace, target, {dump, false, nullptr}));
  return kernel_source(task, kernel, target);
}

}  // namespace hone
