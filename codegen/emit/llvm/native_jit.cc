#include "codegen/emit/llvm/native_jit.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>

#include "codegen/emit/llvm/host_jit.h"
#include "codegen/emit/llvm/native_launches.h"
#include "codegen/emit/llvm/optimize.h"
#include "codegen/emit/llvm/raise_cpu.h"

namespace hone::emit {
target::Target host_target() {
  const HostCpu cpu = host_cpu();
  return target::native_target(cpu.vector_lanes, cpu.vector_registers);
}

HostCpu host_cpu() {
  HostCpu cpu;
  cpu.name = llvm::sys::getHostCPUName().str();
  const llvm::Triple triple(llvm::sys::getProcessTriple());
  cpu.architecture = llvm::Triple::getArchTypeName(triple.getArch()).str();
  if (triple.isAArch64()) cpu.vector_registers = 32;
  for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
    if (!feature.second) continue;
    cpu.features.push_back(feature.first().str());
    if (feature.first() == "avx2") cpu.vector_lanes = std::max(cpu.vector_lanes, 8);
    if (feature.first() == "avx512f") cpu.vector_lanes = 16, cpu.vector_registers = 32;
  }
  std::sort(cpu.features.begin(), cpu.features.end());
  return cpu;
}

NativeKernel::NativeKernel(std::unique_ptr<HostJit> jit, std::vector<Binding> arguments, std::vector<Launch> launches,
                           std::vector<Temp> temps)
    : jit_(std::move(jit)),
      arguments_(std::move(arguments)),
      launches_(std::move(launches)),
      temps_(std::move(temps)) {}
NativeKernel::~NativeKernel() = default;

Result<std::unique_ptr<NativeKernel>> NativeKernel::create(const ir::Kernel& kernel) {
  HONE_ASSIGN(raised, raise_cpu(kernel));
  HONE_ASSIGN(jit, HostJit::create());
  HONE_ASSIGN(code, emit_native_launches(jit->module(), raised, LaunchConfig::Mad::kFused, launch_function));
  HONE_ASSIGN(entries, jit->compile(code.launches.size(), optimize_launches, raised));
  std::vector<Launch> launches;
  for (size_t i = 0; i < entries.size(); ++i) {
    NativeLaunch& launch = code.launches[i];
    launches.push_back({entries[i], launch.extent, std::move(launch.bindings), launch.scratch_bytes});
  }
  return std::unique_ptr<NativeKernel>(
      new NativeKernel(std::move(jit), std::move(code.arguments), std::move(launches), std::move(code.temps)));
}

}  // namespace hone::emit
