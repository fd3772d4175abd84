// Code for this machine's CPU through LLVM ORC: one module, compiled at once and freed whole. The one unit that includes ORC.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "codegen/ir/stmt.h"

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
}  // namespace llvm

namespace hone::emit {

// The function of a kernel's launch in its module.
std::string launch_function(size_t launch);

class HostJit {
 public:
  // Runs iterations begin … end-1 of the launch's shared loop.
  using Entry = void (*)(void* const* args, int64_t begin, int64_t end);

  // Any thread. Fails: unsupported where this LLVM has no code generator for the host; internal when LLVM refuses.
  static Result<std::unique_ptr<HostJit>> create();
  ~HostJit();

  // An empty module for the host. The jit owns both.
  llvm::Module& module();
  llvm::TargetMachine& machine();

  // Compiles the module, which it verifies first: a broken one is our bug, and the kernel is printed with it. Once; the entries of
  // launches 0 … count-1, in order, live as long as the jit.
  Result<std::vector<Entry>> compile(size_t count, void (*optimize)(llvm::Module&, llvm::TargetMachine&), const ir::Kernel& source);

 private:
  struct State;
  explicit HostJit(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace hone::emit
