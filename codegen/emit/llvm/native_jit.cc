#include "codegen/emit/llvm/native_jit.h"

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>

#include "base/cat.h"
#include "codegen/emit/llvm/cpu_bindings.h"
#include "codegen/emit/llvm/launch_emitter.h"
#include "codegen/emit/llvm/optimize.h"
#include "codegen/emit/llvm/raise_cpu.h"
#include "codegen/ir/printer.h"

namespace hone::emit {
namespace {

Error refused(const char* what, llvm::Error error) {
  return Error{ErrorCode::kInternal, cat("LLVM refused to ", what, ": ", llvm::toString(std::move(error)))};
}

// detectHost may take one CPU for another of the same features, which is harmless: code is chosen by features.
Result<llvm::orc::JITTargetMachineBuilder> ask_host() {
  if (llvm::InitializeNativeTarget() || llvm::InitializeNativeTargetAsmPrinter())
    return Error{ErrorCode::kUnsupported, "this LLVM has no code generator for the host"};
  auto host = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!host) return refused("name the host", host.takeError());
  return std::move(*host);
}

// Asked once: on some processors the answer lies in a file, which a process in a sandbox may not open later.
Result<llvm::orc::JITTargetMachineBuilder> detect_host() {
  static const Result<llvm::orc::JITTargetMachineBuilder> host = ask_host();
  return host;
}

std::string name_of(size_t launch) { return cat("launch", launch); }

// The module with every launch; fills in all of `launches` but the entries.
Result<std::unique_ptr<llvm::Module>> emit_module(const ir::Kernel& kernel, llvm::LLVMContext& context,
                                                  llvm::TargetMachine& machine,
                                                  std::vector<NativeKernel::Launch>& launches) {
  auto module = std::make_unique<llvm::Module>("kernel", context);
  module->setDataLayout(machine.createDataLayout());
  module->setTargetTriple(machine.getTargetTriple().str());
  const LaunchConfig config{.mad = LaunchConfig::Mad::kFused, .arrays = LaunchConfig::Arrays::kArgument};
  for (const ir::Launch& launch : kernel.launches) {
    HONE_TRY(check_cpu_launch(launch));
    HONE_ASSIGN(bound, bind_cpu(kernel, launch));
    const int64_t scratch_bytes = emit_launch(*module, kernel, launch, bound.buffers, name_of(launches.size()), config);
    launches.push_back({nullptr, shared_iterations(launch), std::move(bound.bindings), scratch_bytes});
  }
  std::string broken;
  llvm::raw_string_ostream report(broken);
  CHECK(!llvm::verifyModule(*module, &report), cat("broken LLVM IR was emitted: ", broken, "\n", ir::print(kernel)));
  optimize_launches(*module, machine);
  return module;
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

struct NativeKernel::Jit {
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

NativeKernel::NativeKernel(std::unique_ptr<Jit> jit, std::vector<Binding> arguments, std::vector<Launch> launches,
                           std::vector<Temp> temps)
    : jit_(std::move(jit)),
      arguments_(std::move(arguments)),
      launches_(std::move(launches)),
      temps_(std::move(temps)) {}
NativeKernel::~NativeKernel() = default;

Result<std::unique_ptr<NativeKernel>> NativeKernel::create(const ir::Kernel& kernel) {
  HONE_ASSIGN(raised, raise_cpu(kernel));
  HONE_ASSIGN(host, detect_host());
  auto machine = host.createTargetMachine();
  if (!machine) return refused("make a code generator", machine.takeError());
  auto context = std::make_unique<llvm::LLVMContext>();
  context->setDiscardValueNames(true);
  std::vector<Launch> launches;
  HONE_ASSIGN(arguments, bind_arguments(raised));
  HONE_ASSIGN(module, emit_module(raised, *context, **machine, launches));

  auto jit = llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(host).create();
  if (!jit) return refused("start its JIT", jit.takeError());
  if (auto error = (*jit)->addIRModule(llvm::orc::ThreadSafeModule(std::move(module), std::move(context))))
    return refused("take the module", std::move(error));
  for (size_t i = 0; i < launches.size(); ++i) {
    auto symbol = (*jit)->lookup(name_of(i));
    if (!symbol) return refused("compile the module", symbol.takeError());
    launches[i].entry = symbol->toPtr<void(void* const*, int64_t, int64_t)>();
  }
  std::vector<Temp> temps;
  for (ir::Buffer b : raised.temps) temps.push_back({cpu_bytes(b)});
  auto owner = std::make_unique<Jit>(Jit{std::move(*jit)});
  return std::unique_ptr<NativeKernel>(
      new NativeKernel(std::move(owner), std::move(arguments), std::move(launches), std::move(temps)));
}

}  // namespace hone::emit
