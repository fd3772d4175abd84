// Vector constants as values that a function makes once, when it begins.
#pragma once
namespace llvm {
class Module;
}

namespace hone::emit {

// For WebAssembly, after all other passes. LLVM puts a v128.const at each use, and V8 makes each from two halves (three instructions on
// x64) every time around a loop, because it moves nothing out of loops. Behind an empty assembler statement the constant is a value like
// any other, which lives in a register or comes back from the stack with one load. Zeros, which cost nothing, and counts of shifts stay.
void pin_constants(llvm::Module& module);

}  // namespace hone::emit
