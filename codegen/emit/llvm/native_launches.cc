#include "codegen/emit/llvm/native_launches.h"

#include "codegen/emit/llvm/cpu_bindings.h"

namespace hone::emit {

Result<NativeKernelCode> emit_native_launches(llvm::Module& module, const ir::Kernel& kernel, LaunchConfig::Mad mad,
                                              const std::function<std::string(size_t)>& symbol_of) {
  const LaunchConfig config{.mad = mad, .arrays = LaunchConfig::Arrays::kArgument};
  NativeKernelCode out;
  HONE_ASSIGN(arguments, bind_arguments(kernel));
  out.arguments = std::move(arguments);
  for (const ir::Launch& launch : kernel.launches) {
    HONE_TRY(check_cpu_launch(launch));
    HONE_ASSIGN(bound, bind_cpu(kernel, launch));
    std::string symbol = symbol_of(out.launches.size());
    const int64_t scratch_bytes = emit_launch(module, kernel, launch, bound.buffers, symbol, config);
    out.launches.push_back({std::move(symbol), shared_iterations(launch), std::move(bound.bindings), scratch_bytes});
  }
  for (ir::Buffer b : kernel.temps) out.temps.push_back({cpu_bytes(b)});
  return out;
}

}  // namespace hone::emit
