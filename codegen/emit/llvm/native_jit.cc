#include "codegen/emit/llvm/native_jit.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>

#include "base/cat.h"
#include "codegen/emit/llvm/cpu_bindings.h"
#include "codegen/emit/llvm/host_jit.h"
#include "codegen/emit/llvm/launch_emitter.h"
#include "codegen/emit/llvm/optimize.h"
#include "codegen/emit/llvm/raise_cpu.h"

namespace hone::emit {
namespace {

// Adds every launch to the module; all of each but its entry.
Result<std::vector<NativeKernel::Launch>> emit_launches(const ir::Kernel& kernel, llvm::Module& module) {
  const LaunchConfig config{.mad = LaunchConfig::Mad::kFused, .arrays = LaunchConfig::Arrays::kArgument};
  std::vector<NativeKernel::Launch> launches;
  for (const ir::Launch& launch : kernel.launches) {
    HONE_TRY(check_cpu_launch(launch));
    HONE_ASSIGN(bound, bind_cpu(kernel, launch));
    const int64_t scratch_bytes = emit_launch(module, kernel, launch, bound.buffers, launch_function(launches.size()), config);
    launches.push_back({nullptr, shared_iterations(launch), std::move(bound.bindings), scratch_bytes});
  }
  return launches;
}

}  // namespace

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
  HONE_ASSIGN(arguments, bind_arguments(raised));
  HONE_ASSIGN(jit, HostJit::create());
  HONE_ASSIGN(launches, emit_launches(raised, jit->module()));
  HONE_ASSIGN(entries, jit->compile(launches.size(), optimize_launches, raised));
  for (size_t i = 0; i < launches.size(); ++i) launches[i].entry = entries[i];
  std::vector<Temp> temps;
  for (ir::Buffer b : raised.temps) temps.push_back({cpu_bytes(b)});
  return std::unique_ptr<NativeKernel>(
      new NativeKernel(std::move(jit), std::move(arguments), std::move(launches), std::move(temps)));
}

}  // namespace hone::emit
