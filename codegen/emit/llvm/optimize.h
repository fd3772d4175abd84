#pragma once

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace hone::emit {

// The kernel was optimised before it came here; LLVM is to make registers of its variables, share what statements repeat, and move
// what loops do not change.
void optimize_launches(llvm::Module& module, llvm::TargetMachine& machine);

// All that LLVM's -O2 does: a reference is naive code, emitted as it was written.
void optimize_reference(llvm::Module& module, llvm::TargetMachine& machine);

}  // namespace hone::emit
