#include "codegen/compile.h"

#include "codegen/emit/wgsl/emit_wgsl.h"
#include "codegen/lower/pipeline.h"

namespace hone {

Result<emit::KernelSource> compile_kernel(const te::Task& task, const schedule::Trace& trace,
                                          const target::Target& target, const DumpSink& dump) {
  bool empty = true;
  for (te::Tensor out : task.program.outputs) empty = empty && ir::element_count(out->shape) == 0;
  if (empty) return emit::KernelSource{};  // nothing to compute: no launch
  if (target.kind != target::Kind::kWebGpu)
    return Error{ErrorCode::kUnsupported,
                 "target " + target::kind_name(target.kind) + " has no emitter yet; use webgpu"};
  HONE_ASSIGN(kernel, lower::lower_kernel(task, trace, target, {dump, false, nullptr}));
  return emit::emit_wgsl(kernel);
}

}  // namespace hone
