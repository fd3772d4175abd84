#include "codegen/emit/llvm/host_jit.h"

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>

#include "base/cat.h"
#include "codegen/emit/llvm/module_code.h"
#include "codegen/ir/printer.h"

namespace hone::emit {
namespace {

using llvm::orc::JITTargetMachineBuilder;

Error refused(const char* what, llvm::Error error) {
  return Error{ErrorCode::kInternal, cat("LLVM refused to ", what, ": ", llvm::toString(std::move(error)))};
}

// detectHost may take one CPU for another of the same features, which is harmless: code is chosen by features.
Result<JITTargetMachineBuilder> ask_host() {
  if (llvm::InitializeNativeTarget() || llvm::InitializeNativeTargetAsmPrinter())
    return Error{ErrorCode::kUnsupported, "this LLVM has no code generator for the host"};
  auto host = JITTargetMachineBuilder::detectHost();
  if (!host) return refused("name the host", host.takeError());
  return std::move(*host);
}

// Asked once: on some processors the answer lies in a file, which a process in a sandbox may not open later.
Result<JITTargetMachineBuilder> detect_host() {
  static const Result<JITTargetMachineBuilder> host = ask_host();
  return host;
}

}  // namespace

std::string launch_function(size_t launch) { return cat("launch", launch); }

struct HostJit::State {
  std::unique_ptr<llvm::orc::LLJIT> jit;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::LLVMContext> context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> module;
};

HostJit::HostJit(std::unique_ptr<State> state) : state_(std::move(state)) {}
HostJit::~HostJit() = default;

llvm::Module& HostJit::module() { return *state_->module; }
llvm::TargetMachine& HostJit::machine() { return *state_->machine; }

Result<std::unique_ptr<HostJit>> HostJit::create() {
  HONE_ASSIGN(host, detect_host());
  auto machine = host.createTargetMachine();
  if (!machine) return refused("make a code generator", machine.takeError());
  auto jit = llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(host).create();
  if (!jit) return refused("start its JIT", jit.takeError());
  auto state = std::make_unique<State>();
  state->jit = std::move(*jit);
  state->machine = std::move(*machine);
  state->context->setDiscardValueNames(true);
  state->module = std::make_unique<llvm::Module>("kernel", *state->context);
  state->module->setDataLayout(state->machine->createDataLayout());
  state->module->setTargetTriple(state->machine->getTargetTriple().str());
  return std::unique_ptr<HostJit>(new HostJit(std::move(state)));
}

Result<std::vector<HostJit::Entry>> HostJit::compile(size_t count, void (*optimize)(llvm::Module&, llvm::TargetMachine&),
                                                     const ir::Kernel& source) {
  check_module(*state_->module, [&] { return ir::print(source); });
  optimize(*state_->module, *state_->machine);
  llvm::orc::ThreadSafeModule module(std::move(state_->module), std::move(state_->context));
  if (auto error = state_->jit->addIRModule(std::move(module))) return refused("take the module", std::move(error));
  std::vector<Entry> entries;
  for (size_t i = 0; i < count; ++i) {
    auto symbol = state_->jit->lookup(launch_function(i));
    if (!symbol) return refused("compile the module", symbol.takeError());
    entries.push_back(symbol->toPtr<Entry>());
  }
  return entries;
}

}  // namespace hone::emit
