#include "codegen/emit/llvm/native_object.h"

#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>

#include <numeric>

#include "base/cat.h"
#include "codegen/emit/llvm/module_code.h"
#include "codegen/emit/llvm/native_launches.h"
#include "codegen/emit/llvm/optimize.h"
#include "codegen/emit/llvm/raise_cpu.h"
#include "codegen/ir/parser.h"

namespace hone::emit {
namespace {

bool register_cpus() {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  LLVMInitializeAArch64TargetInfo();
  LLVMInitializeAArch64Target();
  LLVMInitializeAArch64TargetMC();
  LLVMInitializeAArch64AsmPrinter();
  return true;
}

Result<std::unique_ptr<llvm::TargetMachine>> machine_of(const target::CpuLevel& level) {
  static const bool registered = register_cpus();
  const std::string triple(level.triple);
  std::string why;
  const llvm::Target* target = registered ? llvm::TargetRegistry::lookupTarget(triple, why) : nullptr;
  if (!target) return Error{ErrorCode::kUnsupported, cat("this LLVM has no code generator for ", triple, ": ", why)};
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, level.cpu, "", llvm::TargetOptions(), llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Default));
  if (!machine) return Error{ErrorCode::kInternal, cat("LLVM refused to make a code generator for ", triple)};
  return machine;
}

// Adds the kernel with its symbols.
Result<NativeKernelCode> add_kernel(llvm::Module& module, const std::string& text, const target::CpuLevel& level,
                                    const std::string& symbol) {
  HONE_ASSIGN(kernel, ir::parse_kernel(text));
  HONE_ASSIGN(raised, raise_cpu(kernel));
  // Without the instruction a fused multiply-add would be a call for each lane.
  const auto mad = level.has_fused_mad ? LaunchConfig::Mad::kFused : LaunchConfig::Mad::kTwoRoundings;
  HONE_ASSIGN(code, emit_native_launches(module, raised, mad, [&](size_t launch) { return cat(symbol, "_", launch); }));
  for (const NativeLaunch& launch : code.launches)
    module.getFunction(launch.symbol)->setVisibility(llvm::GlobalValue::HiddenVisibility);
  return std::move(code);
}

}  // namespace

Result<NativeCode> native_object(const std::vector<std::string>& kernels, const target::CpuLevel& level,
                                 const std::string& prefix) {
  HONE_ASSIGN(machine, machine_of(level));
  llvm::LLVMContext context;
  context.setDiscardValueNames(true);
  llvm::Module module("kernels", context);
  module.setTargetTriple(machine->getTargetTriple().str());
  module.setDataLayout(machine->createDataLayout());
  module.setPICLevel(llvm::PICLevel::BigPIC);
  NativeCode out;
  for (const std::string& text : kernels) {
    HONE_ASSIGN(code, add_kernel(module, text, level, cat(prefix, "_", level.name, "_", out.kernels.size())));
    out.kernels.push_back(std::move(code));
  }
  check_module(module, [&] { return std::accumulate(kernels.begin(), kernels.end(), std::string()); });
  optimize_launches(module, *machine);
  HONE_ASSIGN(object, module_code(module, *machine, std::make_unique<llvm::legacy::PassManager>(),
                                  llvm::CodeGenFileType::ObjectFile));
  out.object = std::move(object);
  return out;
}

}  // namespace hone::emit
