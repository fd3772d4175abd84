#include "codegen/emit/llvm/launch_emitter.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <unordered_map>

#include "base/cat.h"
#include "codegen/arith/analyzer.h"
#include "codegen/emit/llvm/operations.h"
#include "codegen/ir/printer.h"

namespace hone::emit {
namespace {

using ir::Buffer;
using ir::DType;
using ir::Expr;
using ir::ExprKind;
using ir::Stmt;
using ir::StmtKind;
using llvm::Value;

constexpr int64_t kArrayAlignment = 16;

// The loop that threads may share, if the launch begins with one.
Stmt core_loop(const ir::Launch& launch) {
  Stmt s = launch.body;
  while (s && s->kind == StmtKind::kBlock && s->body.size() == 1) s = s->body[0];
  return s && s->kind == StmtKind::kFor && s->place == ir::Place::kCore ? s : nullptr;
}

int64_t scalars_of(Buffer buffer) { return ir::element_count(buffer->shape) * buffer->lanes; }

bool is_array(Buffer buffer) { return buffer->scope != ir::Scope::kRegister || ir::element_count(buffer->shape) > 1; }

std::vector<Buffer> arrays_of(const ir::Launch& launch) {
  std::vector<Buffer> out;
  ir::for_each_stmt(launch.body, [&](Stmt s) {
    if (s->kind == StmtKind::kAlloc && is_array(s->buffer)) out.push_back(s->buffer);
  });
  return out;
}

std::unordered_map<Buffer, bool> written_in(const ir::Launch& launch) {
  std::unordered_map<Buffer, bool> out;
  ir::for_each_stmt(launch.body, [&](Stmt s) {
    if (s->kind == StmtKind::kStore) out[s->buffer] = true;
  });
  return out;
}

// Emits one launch as void f(ptr noalias buffer…, int begin, int end).
class Nest {
 public:
  Nest(llvm::Module& module, const ir::Kernel& kernel, const LaunchConfig& config)
      : module_(module),
        context_(module.getContext()),
        b_(context_),
        code_(b_, config),
        arena_(*kernel.arena),
        analyzer_(arena_),
        config_(config) {}

  llvm::Function* emit(const ir::Launch& launch, const std::vector<Buffer>& pointers, const std::string& name) {
    std::vector<llvm::Type*> params(pointers.size(), b_.getPtrTy());
    params.insert(params.end(), 2, index_type());
    auto* type = llvm::FunctionType::get(b_.getVoidTy(), params, false);
    function_ = llvm::Function::Create(type, llvm::Function::InternalLinkage, name, module_);
    function_->setDoesNotThrow();
    const std::unordered_map<Buffer, bool> written = written_in(launch);
    unsigned at = 0;
    for (Buffer buffer : pointers) {
      function_->addParamAttr(at, llvm::Attribute::NoAlias);
      if (!written.count(buffer)) function_->addParamAttr(at, llvm::Attribute::ReadOnly);
      buffers_[buffer] = function_->getArg(at++);
    }
    begin_ = function_->getArg(at);
    end_ = function_->getArg(at + 1);
    b_.SetInsertPoint(block("entry"));
    core_ = core_loop(launch);
    if (core_) stmt(launch.body);
    else shared_loop(launch.block_vars[0], launch.body);
    b_.CreateRetVoid();
    return function_;
  }

 private:
  llvm::BasicBlock* block(const char* name) { return llvm::BasicBlock::Create(context_, name, function_); }
  llvm::Type* index_type() { return b_.getIntNTy(static_cast<unsigned>(config_.index_bits)); }
  Value* index(int64_t value) { return llvm::ConstantInt::getSigned(index_type(), value); }

  // ---- statements

  void stmt(Stmt s) {
    if (!s) return;
    values_.clear();
    switch (s->kind) {
      case StmtKind::kBlock:
        for (Stmt child : s->body) stmt(child);
        return;
      case StmtKind::kFor:
        return loop(s);
      case StmtKind::kIf:
        return condition(s);
      case StmtKind::kLet: {
        Value* value = emit(s->value);
        vars_[s->var] = value;
        return;
      }
      case StmtKind::kAlloc:
        return alloc(s->buffer);
      case StmtKind::kStore:
        return store(s);
      case StmtKind::kBarrier:
        return;  // a workgroup of one thread
    }
  }

  void loop(Stmt s) {
    if (s == core_) return shared_loop(s->var, s->body.at(0));
    if (s->extent == 0) return;
    if (s->extent > 1) return repeat(s->var, index(0), index(s->extent), s->body.at(0), nullptr);
    vars_[s->var] = index(0);
    stmt(s->body.at(0));
  }

  // The iterations that the caller asked for, which may be none.
  void shared_loop(ir::Var var, Stmt body) {
    llvm::BasicBlock *some = block("some"), *after = block("none");
    b_.CreateCondBr(b_.CreateICmpSLT(begin_, end_), some, after);
    b_.SetInsertPoint(some);
    repeat(var, begin_, end_, body, after);
  }

  // begin < end. The test stands at the end, as LLVM's loop passes want it.
  void repeat(ir::Var var, Value* begin, Value* end, Stmt inside, llvm::BasicBlock* after) {
    llvm::BasicBlock *before = b_.GetInsertBlock(), *body = block("body");
    if (!after) after = block("after");
    b_.CreateBr(body);
    b_.SetInsertPoint(body);
    llvm::PHINode* counter = b_.CreatePHI(index_type(), 2);
    counter->addIncoming(begin, before);
    if (var) vars_[var] = counter;
    stmt(inside);
    Value* next = b_.CreateAdd(counter, index(1), "", true, true);
    counter->addIncoming(next, b_.GetInsertBlock());
    b_.CreateCondBr(b_.CreateICmpSLT(next, end), body, after);
    b_.SetInsertPoint(after);
  }

  void condition(Stmt s) {
    const bool has_else = s->body.size() > 1;
    llvm::BasicBlock *then = block("then"), *otherwise = has_else ? block("else") : nullptr, *after = block("after");
    b_.CreateCondBr(emit(s->value), then, has_else ? otherwise : after);
    b_.SetInsertPoint(then);
    stmt(s->body.at(0));
    b_.CreateBr(after);
    if (has_else) {
      b_.SetInsertPoint(otherwise);
      stmt(s->body[1]);
      b_.CreateBr(after);
    }
    b_.SetInsertPoint(after);
  }

  // A variable stands in the entry block, so that it becomes a register. Arrays may be parameters.
  void alloc(Buffer buffer) {
    if (buffers_.count(buffer)) return;
    llvm::IRBuilder<> entry(&function_->getEntryBlock(), function_->getEntryBlock().begin());
    llvm::Type* element = code_.memory_type({buffer->dtype, buffer->lanes});
    Value* count = entry.getInt32(static_cast<uint32_t>(ir::element_count(buffer->shape)));
    auto* array = entry.CreateAlloca(element, count);
    array->setAlignment(llvm::Align(kArrayAlignment));
    buffers_[buffer] = array;
  }

  // Runs `access` where the mask holds.
  template <class Access>
  void where(Value* mask, const Access& access) {
    if (!mask) return access();
    llvm::BasicBlock *then = block("store"), *after = block("stored");
    b_.CreateCondBr(mask, then, after);
    b_.SetInsertPoint(then);
    access();
    b_.CreateBr(after);
    b_.SetInsertPoint(after);
  }

  void store(Stmt s) {
    const Expr at = s->indices.at(0);
    const bool by_lane = s->mask && s->mask->type.lanes > 1;
    Value* mask = s->mask ? emit(s->mask) : nullptr;
    if (!by_lane && is_contiguous(at)) {
      where(mask, [&] {
        values_.clear();  // what is computed here does not reach beyond
        Value* value = code_.to_memory(s->value->type, emit(s->value));
        b_.CreateAlignedStore(value, address(s->buffer, at), alignment(s->buffer));
      });
      return;
    }
    Value* value = code_.to_memory(s->value->type, emit(s->value));
    for (int lane = 0; lane < s->value->type.lanes; ++lane) {
      Value* element = lane_address(s->buffer, at, lane);
      where(mask ? lane_of(mask, s->mask->type.lanes, s->value->type.lanes, lane) : nullptr, [&] {
        b_.CreateAlignedStore(b_.CreateExtractElement(value, static_cast<uint64_t>(lane)), element,
                              alignment(s->buffer));
      });
    }
  }

  // ---- addresses

  static llvm::Align alignment(Buffer buffer) {
    return llvm::Align(static_cast<uint64_t>(ir::size_bytes(buffer->dtype)));
  }

  static bool is_contiguous(Expr at) {
    return at->type.lanes == 1 || (at->kind == ExprKind::kRamp && ir::is_const_int(at->args[1], 1));
  }

  // Elements are as dense as their scalars, which a vector of three is not in LLVM. A literal term becomes a step of its own: the
  // instruction's offset. Not where the rest may be negative: WebAssembly adds an offset to an address that does not wrap around.
  Value* address(Buffer buffer, Expr at) {
    if (at->kind == ExprKind::kRamp) at = at->args[0];
    llvm::Type* scalar = code_.memory_type({buffer->dtype, 1});
    llvm::Type* element =
        buffer->lanes == 1 ? scalar : llvm::ArrayType::get(scalar, static_cast<uint64_t>(buffer->lanes));
    Value* base = buffers_.at(buffer);
    const bool has_offset = at->kind == ExprKind::kAdd && is_const(at->args[1]) && analyzer_.bounds(at->args[0]).lo >= 0;
    if (!has_offset) return b_.CreateInBoundsGEP(element, base, emit(at));
    return b_.CreateInBoundsGEP(element, b_.CreateInBoundsGEP(element, base, emit(at->args[0])), emit(at->args[1]));
  }

  // Of one scalar of a vector access; the lanes of the indices vary slower than those of an element.
  Value* lane_address(Buffer buffer, Expr at, int lane) {
    const int part = lane % buffer->lanes;
    Value* element;
    if (at->type.lanes == 1) {
      element = address(buffer, at);
    } else {
      Value* which = b_.CreateExtractElement(emit(at), static_cast<uint64_t>(lane / buffer->lanes));
      llvm::Type* scalar = code_.memory_type({buffer->dtype, 1});
      element = b_.CreateInBoundsGEP(llvm::ArrayType::get(scalar, static_cast<uint64_t>(buffer->lanes)),
                                     buffers_.at(buffer), which);
    }
    return b_.CreateInBoundsGEP(code_.memory_type({buffer->dtype, 1}), element, index(part));
  }

  // A mask has one lane, one per index or one per scalar.
  Value* lane_of(Value* mask, int mask_lanes, int lanes, int lane) {
    return mask_lanes == 1 ? mask : b_.CreateExtractElement(mask, static_cast<uint64_t>(lane / (lanes / mask_lanes)));
  }

  // ---- loads

  Value* load(Expr e) {
    const Expr at = e->args.at(0);
    const bool by_lane = e->mask && e->mask->type.lanes > 1;
    if (by_lane || !is_contiguous(at)) return gather(e);
    llvm::Type* type = code_.memory_type(e->type);
    Value* place = address(e->buffer, at);
    if (!e->mask) return code_.from_memory(e->type, b_.CreateAlignedLoad(type, place, alignment(e->buffer)));
    Value *mask = emit(e->mask), *other = other_of(e);
    return masked(e->buffer, e->type, place, mask, other);
  }

  Value* other_of(Expr e) { return e->other ? emit(e->other) : llvm::Constant::getNullValue(code_.type_of(e->type)); }

  // Where the mask is false the address may lie outside the buffer: the beginning is read instead, which costs no branch.
  Value* masked(Buffer buffer, ir::Type type, Value* place, Value* mask, Value* other) {
    llvm::Type* memory = code_.memory_type(type);
    if (scalars_of(buffer) >= type.lanes) {
      Value* safe = b_.CreateSelect(mask, place, buffers_.at(buffer));
      Value* value = code_.from_memory(type, b_.CreateAlignedLoad(memory, safe, alignment(buffer)));
      return b_.CreateSelect(mask, value, other);
    }
    llvm::BasicBlock *before = b_.GetInsertBlock(), *then = block("load"), *after = block("loaded");
    b_.CreateCondBr(mask, then, after);
    b_.SetInsertPoint(then);
    Value* value = code_.from_memory(type, b_.CreateAlignedLoad(memory, place, alignment(buffer)));
    b_.CreateBr(after);
    b_.SetInsertPoint(after);
    llvm::PHINode* result = b_.CreatePHI(value->getType(), 2);
    result->addIncoming(value, then);
    result->addIncoming(other, before);
    return result;
  }

  Value* gather(Expr e) {
    const ir::Type scalar = e->type.scalar();
    Value *mask = e->mask ? emit(e->mask) : nullptr, *other = mask ? other_of(e) : nullptr;
    Value* out = llvm::PoisonValue::get(code_.type_of(e->type));
    for (int lane = 0; lane < e->type.lanes; ++lane) {
      Value* place = lane_address(e->buffer, e->args.at(0), lane);
      Value* value;
      if (mask) {
        value = masked(e->buffer, scalar, place, lane_of(mask, e->mask->type.lanes, e->type.lanes, lane),
                       b_.CreateExtractElement(other, static_cast<uint64_t>(lane)));
      } else {
        value = code_.from_memory(scalar, b_.CreateAlignedLoad(code_.memory_type(scalar), place, alignment(e->buffer)));
      }
      out = b_.CreateInsertElement(out, value, static_cast<uint64_t>(lane));
    }
    return out;
  }

  // A[i / 4] by lane i % 4: a CPU reads the scalar.
  bool is_element_of_memory(Expr e) {
    const Expr vector = e->args[0];
    if (e->args.size() != 2 || vector->kind != ExprKind::kLoad || e->args[1]->type != ir::kIndexType) return false;
    if (vector->args[0]->type.lanes != 1 || (vector->mask && vector->mask->type.lanes != 1)) return false;
    return is_array(vector->buffer) && analyzer_.bounds(e->args[1]).within(0, vector->buffer->lanes - 1);
  }

  Value* element_of_memory(Expr e) {
    const Expr vector = e->args[0];
    const Buffer buffer = vector->buffer;
    const Expr at =
        analyzer_.simplify(arena_.add(arena_.mul(vector->args[0], arena_.index(buffer->lanes)), e->args[1]));
    llvm::Type* memory = code_.memory_type(e->type);
    Value* place = b_.CreateInBoundsGEP(memory, buffers_.at(buffer), emit(at));
    if (!vector->mask) return code_.from_memory(e->type, b_.CreateAlignedLoad(memory, place, alignment(buffer)));
    Value* other = llvm::Constant::getNullValue(code_.type_of(e->type));
    if (vector->other) other = emit(arena_.extract_dynamic(vector->other, e->args[1]));
    return masked(buffer, e->type, place, emit(vector->mask), other);
  }

  // vec(A[i], A[i + 1], …) is one load, at whatever alignment; null if e is something else.
  Expr as_one_load(Expr e) {
    const Expr first = e->args[0];
    if (first->kind != ExprKind::kLoad || first->type.lanes != 1 || first->args[0]->type.lanes != 1) return nullptr;
    if (e->args.size() != e->lanes.size() || first->other) return nullptr;
    for (size_t i = 0; i < e->args.size(); ++i) {
      const Expr part = e->args[i];
      if (e->lanes[i] != static_cast<int>(i) || part->kind != ExprKind::kLoad || part->buffer != first->buffer)
        return nullptr;
      if (part->mask != first->mask || part->other || part->args[0]->type.lanes != 1) return nullptr;
      if (!ir::is_const_int(analyzer_.simplify(arena_.sub(part->args[0], first->args[0])), static_cast<int64_t>(i)))
        return nullptr;
    }
    Expr at = arena_.ramp(first->args[0], arena_.index(1), static_cast<int>(e->lanes.size()));
    return arena_.load(first->buffer, {at}, first->mask);
  }

  // ---- expressions; each node once per statement, all values in blocks that dominate what follows

  Value* emit(Expr e) {
    if (e->kind == ExprKind::kVar) return vars_.at(e);
    auto found = values_.find(e);
    if (found != values_.end()) return found->second;
    Value* value = make(e);
    return values_[e] = value;
  }

  Value* make(Expr e) {
    switch (e->kind) {
      case ExprKind::kVar:
        return vars_.at(e);
      case ExprKind::kLoad:
        return load(e);
      case ExprKind::kDiv:
      case ExprKind::kMod: {
        const bool is_index = e->type.dtype == DType::kIndex;
        return code_.divide(e, emit(e->args[0]), emit(e->args[1]), is_index && analyzer_.bounds(e->args[0]).lo >= 0);
      }
      case ExprKind::kExtract:
        if (is_element_of_memory(e)) return element_of_memory(e);
        break;
      case ExprKind::kShuffle:
        if (Expr one = as_one_load(e)) return emit(one);
        break;
      default:
        break;
    }
    std::vector<Value*> args;
    for (Expr arg : e->args) args.push_back(emit(arg));
    return code_.make(e, args);
  }

  llvm::Module& module_;
  llvm::LLVMContext& context_;
  llvm::IRBuilder<> b_;
  Operations code_;
  ir::Arena& arena_;
  arith::Analyzer analyzer_;
  const LaunchConfig& config_;
  llvm::Function* function_ = nullptr;
  Value *begin_ = nullptr, *end_ = nullptr;
  Stmt core_ = nullptr;
  std::unordered_map<Buffer, Value*> buffers_;
  std::unordered_map<ir::Var, Value*> vars_;
  std::unordered_map<Expr, Value*> values_;
};

int64_t array_bytes(Buffer buffer) {
  const int64_t bytes = scalars_of(buffer) * ir::size_bytes(buffer->dtype);
  return (bytes + kArrayAlignment - 1) / kArrayAlignment * kArrayAlignment;
}

// void name(ptr args, int begin, int end): unpacks the pointers, since only parameters can say that they do not alias.
int64_t emit_entry(llvm::Module& module, llvm::Function* nest, size_t buffers, const std::vector<Buffer>& arrays,
                   const std::string& name) {
  llvm::IRBuilder<> b(module.getContext());
  llvm::Type* word = nest->getArg(static_cast<unsigned>(nest->arg_size() - 1))->getType();
  auto* type = llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy(), word, word}, false);
  auto* entry = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
  b.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "entry", entry));
  auto pointer = [&](size_t i) {
    Value* slot = b.CreateInBoundsGEP(b.getPtrTy(), entry->getArg(0), llvm::ConstantInt::get(word, i));
    return b.CreateLoad(b.getPtrTy(), slot);
  };
  std::vector<Value*> args;
  for (size_t i = 0; i < buffers; ++i) args.push_back(pointer(i));
  Value* memory = arrays.empty() ? nullptr : pointer(buffers);
  int64_t bytes = 0;
  for (Buffer array : arrays) {
    args.push_back(b.CreateInBoundsGEP(b.getInt8Ty(), memory, llvm::ConstantInt::getSigned(word, bytes)));
    bytes += array_bytes(array);
  }
  args.push_back(entry->getArg(1));
  args.push_back(entry->getArg(2));
  b.CreateCall(nest, args);
  b.CreateRetVoid();
  return bytes;
}

}  // namespace

int64_t shared_iterations(const ir::Launch& launch) {
  const Stmt core = core_loop(launch);
  return core ? core->extent : launch.grid[0];
}

Status check_cpu_launch(const ir::Launch& launch) {
  for (int d = 0; d < 3; ++d)
    if (launch.threads[d] != 1)
      return Error{ErrorCode::kUnsupported, cat("a workgroup of several threads on a CPU; bind the loop to core")};
  if (launch.grid[1] != 1 || launch.grid[2] != 1)
    return Error{ErrorCode::kUnsupported,
                 cat("a grid of ", launch.grid[0], "×", launch.grid[1], "×", launch.grid[2],
                     " on a CPU, which has one dimension; fuse the loops and bind them to core")};
  return ok_status();
}

int64_t emit_launch(llvm::Module& module, const ir::Kernel& kernel, const ir::Launch& launch,
                    const std::vector<Buffer>& buffers, const std::string& name, const LaunchConfig& config) {
  std::vector<Buffer> pointers = buffers, arrays;
  if (config.arrays == LaunchConfig::Arrays::kArgument) arrays = arrays_of(launch);
  pointers.insert(pointers.end(), arrays.begin(), arrays.end());
  llvm::Function* nest = Nest(module, kernel, config).emit(launch, pointers, name + "_nest");
  return emit_entry(module, nest, buffers.size(), arrays, name);
}

}  // namespace hone::emit
