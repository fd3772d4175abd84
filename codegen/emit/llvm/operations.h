// LLVM IR of the operations on values: what each expression but variables and loads makes of its operands, as docs/ir.md defines it.
#pragma once
#include <llvm/IR/IRBuilder.h>

#include <vector>

#include "codegen/emit/llvm/launch_emitter.h"
#include "codegen/ir/expr.h"

namespace hone::emit {

class Operations {
 public:
  // b: borrowed; code goes where it stands.
  Operations(llvm::IRBuilder<>& b, const LaunchConfig& config) : b_(b), config_(config) {}

  // In registers bool has one bit and index the config's; in memory one byte and 32 bits.
  llvm::Type* type_of(ir::Type type);
  llvm::Type* memory_type(ir::Type type);
  llvm::Value* to_memory(ir::Type type, llvm::Value* value);
  llvm::Value* from_memory(ir::Type type, llvm::Value* value);

  // Any kind but Var, Load, Div and Mod of integers; args: e's operands, emitted.
  llvm::Value* make(ir::Expr e, const std::vector<llvm::Value*>& args);
  // Div or Mod. A dividend that is known not to be negative needs no correction, which keeps index arithmetic cheap.
  llvm::Value* divide(ir::Expr e, llvm::Value* a, llvm::Value* b, bool not_negative);

 private:
  using Values = std::vector<llvm::Value*>;
  llvm::Value* constant(ir::Expr e);
  llvm::Value* arithmetic(ir::ExprKind kind, ir::DType dtype, llvm::Value* a, llvm::Value* b);
  llvm::Value* ordered_extreme(ir::Expr e, llvm::Value* front, llvm::Value* behind);
  llvm::Value* extreme(ir::Expr e, const Values& args);
  llvm::Value* mad(ir::Expr e, const Values& args);
  llvm::Value* less(ir::DType dtype, llvm::Value* a, llvm::Value* b);
  llvm::Value* less_equal(ir::DType dtype, llvm::Value* a, llvm::Value* b);
  llvm::Value* shift(ir::Expr e, llvm::Value* a, llvm::Value* count);
  llvm::Value* floored(bool is_div, llvm::Value* a, llvm::Value* b);
  llvm::Value* cast(ir::Type from, ir::Type to, llvm::Value* value);
  llvm::Value* to_bf16(ir::Type from, llvm::Value* value);
  llvm::Value* bitcast(ir::Expr e, llvm::Value* value);
  llvm::Value* ramp(ir::Expr e, const Values& args);
  llvm::Value* extract(ir::Expr e, const Values& args);
  llvm::Value* shuffle(ir::Expr e, const Values& args);
  llvm::Value* call(ir::Expr e, const Values& args);
  llvm::Value* instruction_of(ir::Intrinsic intrinsic, llvm::Value* a);
  llvm::Value* library_call(ir::Intrinsic intrinsic, const Values& args);

  llvm::IRBuilder<>& b_;
  const LaunchConfig& config_;
};

}  // namespace hone::emit
