// From a module to code, for objects of every target.
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"

namespace llvm {
class Module;
class TargetMachine;
enum class CodeGenFileType;
namespace legacy {
class PassManager;
}
}  // namespace llvm

namespace hone::emit {

// A broken module is our bug: `source`, what it was made of, is printed with it. It is asked for then alone: what shares parts is longer as text than memory holds.
void check_module(const llvm::Module& module, const std::function<std::string()>& source);

// The object, or the text. passes: empty; what it leaves out of the code generator's own is its business. Fails: internal when LLVM refuses.
Result<std::string> module_code(llvm::Module& module, llvm::TargetMachine& machine,
                                std::unique_ptr<llvm::legacy::PassManager> passes, llvm::CodeGenFileType type);

}  // namespace hone::emit
