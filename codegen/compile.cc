#include "codegen/compile.h"

#include "codegen/emit/wgsl/emit_wgsl.h"
#include "codegen/lower/pipeline.h"

namespace hone {

namespace {

emit::KernelSource with_layouts(emit::KernelSource source, const te::Task& task, const ir::Kernel& kernel) {
  for (size_t i = 0; i < task.args.size(); ++i)
    if (kernel.arg_layouts[i] != task.args[i].layout)
      source.layouts.push_back({static_cast<int>(i), kernel.arg_layouts[i]});
  if (!source.layouts.empty()) source.hash = emit::hash_source(source);
  return source;
}

}  // namespace

Result<emit::KernelSource> compile_kernel(const te::Task& task, const schedule::Trace& trace,
                                          const target::Target& target, const DumpSink& dump) {
  bool empty = true;
  for (te::Tensor out : task.program.outputs) empty = empty && ir::element_count(out->shape) == 0;
  if (empty) return emit::KernelSource{};  // nothing to compute: no launch
  if (target.kind != target::Kind::kWebGpu)
    return Error{ErrorCode::kUnsupported,
                 "target " + target::kind_name(target.kind) + " has no emitter yet; use webgpu"};
  HONE_ASSIGN(kernel, lower::lower_kernel(task, trace, target, {dump, false, nullptr}));
  HONE_ASSIGN(source, emit::emit_wgsl(kernel));
  return with_layouts(std::move(source), task, kernel);
}

}  // namespace hone
