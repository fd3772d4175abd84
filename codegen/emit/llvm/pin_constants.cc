#include "codegen/emit/llvm/pin_constants.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Module.h>

#include <map>

namespace hone::emit {
namespace {

bool is_costly(const llvm::Value* value) {
  const auto* constant = llvm::dyn_cast<llvm::ConstantDataVector>(value);
  return constant && constant->isSplat() && !constant->isNullValue() && !constant->isAllOnesValue();
}

// Instructions whose operands may be any value; a shift by a constant is one instruction, by a vector four.
bool takes_values(const llvm::Instruction& instruction) {
  if (instruction.isShift() || llvm::isa<llvm::CallBase>(instruction)) return false;
  return llvm::isa<llvm::BinaryOperator, llvm::CmpInst, llvm::SelectInst, llvm::StoreInst>(instruction);
}

// Arguments of a call that need not be known ahead: an intrinsic's may have to be.
bool is_multiply_add(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  return call && call->getCalledFunction() && call->getCalledFunction()->getName().contains("relaxed.madd");
}

class Pins {
 public:
  explicit Pins(llvm::Function& function) : b_(&*function.getEntryBlock().begin()) {}

  llvm::Value* of(llvm::Value* constant) {
    llvm::Value*& pin = pins_[constant];
    if (!pin) pin = make(llvm::cast<llvm::ConstantDataVector>(constant));
    return pin;
  }

 private:
  // The statement takes the scalar: of vectors LLVM 19 believes there that they hold halves.
  llvm::Value* make(llvm::ConstantDataVector* constant) {
    llvm::Value* scalar = b_.CreateCall(pass_through(constant->getElementType()), {constant->getSplatValue()});
    return b_.CreateVectorSplat(constant->getNumElements(), scalar);
  }
  static llvm::InlineAsm* pass_through(llvm::Type* type) {
    return llvm::InlineAsm::get(llvm::FunctionType::get(type, {type}, false), "", "=r,0", /*hasSideEffects=*/false);
  }

  llvm::IRBuilder<> b_;
  std::map<llvm::Value*, llvm::Value*> pins_;
};

void pin_in(llvm::Function& function) {
  Pins pins(function);
  for (llvm::BasicBlock& block : function) {
    if (&block == &function.getEntryBlock()) continue;
    for (llvm::Instruction& instruction : block) {
      if (!takes_values(instruction) && !is_multiply_add(instruction)) continue;
      for (llvm::Use& use : instruction.operands())
        if (is_costly(use)) use.set(pins.of(use));
    }
  }
}

}  // namespace

void pin_constants(llvm::Module& module) {
  for (llvm::Function& function : module)
    if (!function.isDeclaration()) pin_in(function);
}

}  // namespace hone::emit
