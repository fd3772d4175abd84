#include "codegen/emit/llvm/module_code.h"

#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Target/TargetMachine.h>

#include "base/cat.h"
#include "base/check.h"

namespace hone::emit {

void check_module(const llvm::Module& module, const std::function<std::string()>& source) {
  std::string broken;
  llvm::raw_string_ostream report(broken);
  CHECK(!llvm::verifyModule(module, &report), cat("broken LLVM IR was emitted: ", broken, "\n", source()));
}

Result<std::string> module_code(llvm::Module& module, llvm::TargetMachine& machine,
                                std::unique_ptr<llvm::legacy::PassManager> passes, llvm::CodeGenFileType type) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  const auto ends_first = std::move(passes);  // its printer writes to the stream until it ends
  if (machine.addPassesToEmitFile(*ends_first, stream, nullptr, type))
    return Error{ErrorCode::kInternal, cat("LLVM refused to write code for ", machine.getTargetTriple().str())};
  ends_first->run(module);
  return std::string(bytes.begin(), bytes.end());
}

}  // namespace hone::emit
