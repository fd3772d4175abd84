#include "codegen/emit/llvm/native_jit.h"

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>

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
Result<llvm::orc::JITTargetMachineBuilder> detect_host() {
  static const bool initialised = !llvm::InitializeNativeTarget() && !llvm::InitializeNativeTargetAsmPrinter();
  if (!initialised) return Error{ErrorCode::kUnsupported, "this LLVM has no code generator for the host"};
  auto host = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!host) return refused("name the host", host.takeError());
  return std::move(*host);
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
  target::Target t = target::wasm_default();
  t.kind = target::Kind::kNative;
  int lanes = 4, registers = 16;
  for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
    if (!feature.second) continue;
    if (feature.first() == "avx2") lanes = std::max(lanes, 8);
    if (feature.first() == "avx512f") lanes = 16, registers = 32;
  }
  for (int wide = 8; wide <= lanes; wide *= 2) t.lanes.push_back(wide);
  t.limits.live_vectors_max = registers - 2;
  return t;
}

struct NativeKernel::Jit {
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

NativeKernel::NativeKernel(std::unique_ptr<Jit> jit, std::vector<Launch> launches, std::vector<Temp> temps)
    : jit_(std::move(jit)), launches_(std::move(launches)), temps_(std::move(temps)) {}
NativeKernel::~NativeKernel() = default;

Result<std::unique_ptr<NativeKernel>> NativeKernel::create(const ir::Kernel& kernel) {
  HONE_ASSIGN(raised, raise_cpu(kernel));
  HONE_ASSIGN(host, detect_host());
  auto machine = host.createTargetMachine();
  if (!machine) return refused("make a code generator", machine.takeError());
  auto context = std::make_unique<llvm::LLVMContext>();
  context->setDiscardValueNames(true);
  std::vector<Launch> launches;
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
  return std::unique_ptr<NativeKernel>(new NativeKernel(std::move(owner), std::move(launches), std::move(temps)));
}

}  // namespace hone::emit
