#include "codegen/emit/llvm/emit_wasm.h"

#include "codegen/emit/llvm/cpu_bindings.h"
#include "codegen/emit/llvm/launch_emitter.h"
#include "codegen/emit/llvm/raise_cpu.h"
#include "codegen/emit/llvm/wasm_link.h"
#include "codegen/emit/llvm/wasm_object.h"

namespace hone::emit {
namespace {

Result<LaunchSource> emit(const ir::Kernel& kernel, const ir::Launch& launch, const target::Target& target) {
  HONE_TRY(check_cpu_launch(launch));
  HONE_ASSIGN(bound, bind_cpu(kernel, launch));
  HONE_ASSIGN(object, wasm_code(kernel, launch, bound.buffers, target, WasmForm::kObject));
  WasmLinkOptions options;
  options.exports = {{kWasmEntry, "main"}};
  options.shared_memory = target.has_threads;
  HONE_ASSIGN(module, wasm_link(object.bytes, options));
  LaunchSource source;
  source.code = std::move(module);
  source.grid = {shared_iterations(launch), 1, 1};
  source.bindings = std::move(bound.bindings);
  source.scratch_bytes = object.scratch_bytes;
  return source;
}

}  // namespace

Result<KernelSource> emit_wasm(const ir::Kernel& kernel, const target::Target& target) {
  HONE_ASSIGN(raised, raise_cpu(kernel));
  KernelSource out;
  for (const ir::Launch& launch : raised.launches) {
    HONE_ASSIGN(source, emit(raised, launch, target));
    out.launches.push_back(std::move(source));
  }
  for (ir::Buffer b : raised.temps) out.temps.push_back({cpu_bytes(b)});
  if (target.has_relaxed_simd) out.needs.push_back("relaxed-simd");
  if (target.has_threads) out.needs.push_back("threads");
  out.hash = hash_source(out);
  return out;
}

Result<std::string> wasm_assembly(const ir::Kernel& kernel, const target::Target& target) {
  HONE_ASSIGN(raised, raise_cpu(kernel));
  std::string out;
  for (const ir::Launch& launch : raised.launches) {
    HONE_TRY(check_cpu_launch(launch));
    HONE_ASSIGN(bound, bind_cpu(raised, launch));
    HONE_ASSIGN(code, wasm_code(raised, launch, bound.buffers, target, WasmForm::kAssembly));
    out += code.bytes;
  }
  return out;
}

}  // namespace hone::emit
