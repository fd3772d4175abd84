#include "codegen/emit/llvm/wasm_object.h"

#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Pass.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>

#include "base/cat.h"
#include "codegen/emit/llvm/launch_emitter.h"
#include "codegen/emit/llvm/module_code.h"
#include "codegen/emit/llvm/optimize.h"
#include "codegen/emit/llvm/pin_constants.h"
#include "codegen/ir/printer.h"

namespace hone::emit {
namespace {

constexpr const char* kTriple = "wasm32-unknown-unknown";

// Instructions stay in the order in which the emitter made them. LLVM's own order for this target lays the multiply-adds of one accumulator
// behind each other, where each waits for the last, and keeps all operands alive meanwhile. In Node, 512³: tile of 4×8 37.8 → 40.1
// GFLOP/s, of 6×8 24 → 37. An option of the process, since the target offers none: set before there are threads. It is what
// hosts do anyway.
const bool kKeepsOrder = [] {
  auto& options = llvm::cl::getRegisteredOptions();
  const auto found = options.find("pre-RA-sched");
  return found != options.end() && !found->second->addOccurrence(1, "pre-RA-sched", "source");
}();

const llvm::Target* find_target() {
  CHECK(kKeepsOrder, "this LLVM schedules instructions in some other way");
  LLVMInitializeWebAssemblyTargetInfo();
  LLVMInitializeWebAssemblyTarget();
  LLVMInitializeWebAssemblyTargetMC();
  LLVMInitializeWebAssemblyAsmPrinter();
  std::string error;
  return llvm::TargetRegistry::lookupTarget(kTriple, error);
}

std::string features_of(const target::Target& target) {
  const bool has_vectors = target.lanes.back() > 1;
  std::string out = has_vectors ? "+simd128," : "";
  out += "+bulk-memory,+sign-ext,+nontrapping-fptoint,+mutable-globals";
  if (target.has_relaxed_simd) out += ",+relaxed-simd";
  if (target.has_threads) out += ",+atomics";
  return out;
}

// Code generation without loop strength reduction. What that pass makes of addresses no longer says that they do not wrap, so that
// WebAssembly's offsets go unused; and it takes half of the whole's time, more in large kernels. Golden kernel core_panels, 512³: 5.0 ms
// and 32.3 GFLOP/s with it, 4.0 ms and 32.7 without; windows of 3×3: 19 ms and 10.5 ms.
class WithoutStrengthReduction final : public llvm::legacy::PassManager {
 public:
  void add(llvm::Pass* pass) override {
    if (pass->getPassName() == "Loop Strength Reduction") delete pass;
    else PassManager::add(pass);
  }
};

}  // namespace

Result<WasmCode> wasm_code(const ir::Kernel& kernel, const ir::Launch& launch, const std::vector<ir::Buffer>& buffers,
                           const target::Target& target, WasmForm form) {
  static const llvm::Target* const registered = find_target();
  if (!registered) return Error{ErrorCode::kUnsupported, "this LLVM has no code generator for WebAssembly"};
  const std::unique_ptr<llvm::TargetMachine> machine(
      registered->createTargetMachine(kTriple, "generic", features_of(target), llvm::TargetOptions(), std::nullopt,
                                      std::nullopt, llvm::CodeGenOptLevel::Default));
  if (!machine) return Error{ErrorCode::kInternal, "LLVM refused to make a code generator for WebAssembly"};

  llvm::LLVMContext context;
  context.setDiscardValueNames(true);
  llvm::Module module("kernel", context);
  module.setTargetTriple(kTriple);
  module.setDataLayout(machine->createDataLayout());
  WasmCode out;
  const LaunchConfig config{
      .index_bits = 32,
      .mad = target.has_relaxed_simd ? LaunchConfig::Mad::kRelaxed : LaunchConfig::Mad::kTwoRoundings,
      .arrays = LaunchConfig::Arrays::kArgument};
  out.scratch_bytes = emit_launch(module, kernel, launch, buffers, kWasmEntry, config);
  check_module(module, [&] { return ir::print(kernel); });
  optimize_launches(module, *machine);
  pin_constants(module);

  const auto type = form == WasmForm::kObject ? llvm::CodeGenFileType::ObjectFile : llvm::CodeGenFileType::AssemblyFile;
  HONE_ASSIGN(bytes, module_code(module, *machine, std::make_unique<WithoutStrengthReduction>(), type));
  out.bytes = std::move(bytes);
  return out;
}

}  // namespace hone::emit
