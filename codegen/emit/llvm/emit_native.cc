#include "codegen/emit/llvm/emit_native.h"

#include "codegen/emit/llvm/cpu_bindings.h"
#include "codegen/emit/llvm/launch_emitter.h"
#include "codegen/emit/llvm/raise_cpu.h"
#include "codegen/ir/printer.h"

namespace hone::emit {

Result<KernelSource> emit_native(const ir::Kernel& kernel, const target::Target&) {
  HONE_ASSIGN(raised, raise_cpu(kernel));  // as the agent will, for the same bindings
  for (const ir::Launch& launch : raised.launches) HONE_TRY(check_cpu_launch(launch));
  HONE_ASSIGN(bindings, bind_arguments(raised));
  LaunchSource whole;
  whole.code = ir::print(kernel);
  whole.bindings = std::move(bindings);
  KernelSource out;
  out.launches.push_back(std::move(whole));
  out.hash = hash_source(out);
  return out;
}

}  // namespace hone::emit
