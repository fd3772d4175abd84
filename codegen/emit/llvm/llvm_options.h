// Options of LLVM that no interface offers: they hold for the process, and are set before there are threads. It is what hosts do anyway.
#pragma once
#include <llvm/Support/CommandLine.h>

namespace hone::emit {

// False where this LLVM has no such option.
inline bool set_llvm_option(llvm::StringRef name, llvm::StringRef value) {
  auto& options = llvm::cl::getRegisteredOptions();
  const auto found = options.find(name);
  return found != options.end() && !found->second->addOccurrence(1, name, value);
}

}  // namespace hone::emit
