#include "codegen/emit/llvm/reference_jit.h"

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>

#include <thread>
#include <unordered_map>

#include "base/cat.h"
#include "codegen/arith/analyzer.h"
#include "codegen/ir/printer.h"

namespace hone::emit {
namespace {

using ir::DType;
using ir::Expr;
using ir::ExprKind;
using ir::Place;
using ir::Stmt;
using ir::StmtKind;

// The loop that threads may share, if the launch begins with one.
Stmt core_loop(const ir::Launch& launch) {
  Stmt s = launch.body;
  while (s && s->kind == StmtKind::kBlock && s->body.size() == 1) s = s->body[0];
  return s && s->kind == StmtKind::kFor && s->place == Place::kCore ? s : nullptr;
}

// Statements that a launch executes, roughly: what decides whether threads are worth while.
double work_of(Stmt s) {
  if (!s) return 0;
  double inside = 1;
  for (Stmt child : s->body) inside += work_of(child);
  return s->kind == StmtKind::kFor ? inside * static_cast<double>(s->extent) : inside;
}

// What the emitter cannot express, or "".
std::string unsupported_in(Expr e) {
  std::string found;
  ir::for_each_node(e, [&](Expr node) {
    if (node->type.lanes != 1) found = cat("a vector: ", ir::print(node));
    if (node->kind == ExprKind::kLoad && (node->args.size() != 1 || node->buffer->lanes != 1)) found = cat("the access ", ir::print(node));
  });
  return found;
}

std::string unsupported_in(Stmt body) {
  std::string found;
  ir::for_each_stmt(body, [&](Stmt s) {
    if (s->kind == StmtKind::kBarrier) found = "a barrier";
    if (s->kind == StmtKind::kAtomic) found = "an atomic";
    if (s->kind == StmtKind::kFor && s->place != ir::Place::kCore && (ir::is_block(s->place) || ir::is_thread(s->place)))
      found = cat("a loop at place ", ir::place_name(s->place));
    if (s->kind == StmtKind::kStore && (s->indices.size() != 1 || s->buffer->lanes != 1)) found = cat("a store to ", s->buffer->name);
    for (Expr e : s->indices)
      if (found.empty()) found = unsupported_in(e);
    for (Expr e : {s->value, s->mask})
      if (e && found.empty()) found = unsupported_in(e);
  });
  return found;
}

std::string unsupported_in(const ir::Launch& launch) {
  const ir::Dims one{1, 1, 1};
  const auto none = [](const std::array<ir::Var, 3>& vars) { return !vars[0] && !vars[1] && !vars[2]; };
  return launch.grid != one || launch.threads != one || !none(launch.block_vars) || !none(launch.thread_vars) || launch.thread_linear ? "a grid" : unsupported_in(launch.body);
}

// Emits one launch as void f(ptr noalias buffer…, i64 begin, i64 end). index is i64 here: it cannot overflow, and LLVM sees plain strides.
class LaunchEmitter {
 public:
  LaunchEmitter(llvm::Module& module, const ir::Kernel& kernel)
      : module_(module), context_(module.getContext()), b_(context_), kernel_(kernel), analyzer_(*kernel.arena) {}

  llvm::Function* emit(const ir::Launch& launch, const std::string& name) {
    std::vector<llvm::Type*> params(kernel_.args.size() + kernel_.temps.size(), b_.getPtrTy());
    params.insert(params.end(), 2, b_.getInt64Ty());
    auto* type = llvm::FunctionType::get(b_.getVoidTy(), params, false);
    function_ = llvm::Function::Create(type, llvm::Function::InternalLinkage, name, module_);
    size_t at = 0;
    for (const auto* list : {&kernel_.args, &kernel_.temps})
      for (ir::Buffer buffer : *list) {
        function_->addParamAttr(static_cast<unsigned>(at), llvm::Attribute::NoAlias);
        buffers_[buffer] = function_->getArg(static_cast<unsigned>(at++));
      }
    begin_ = function_->getArg(static_cast<unsigned>(at));
    end_ = function_->getArg(static_cast<unsigned>(at + 1));
    b_.SetInsertPoint(block("entry"));
    core_ = core_loop(launch);
    stmt(launch.body);
    b_.CreateRetVoid();
    return function_;
  }

 private:
  llvm::BasicBlock* block(const char* name) { return llvm::BasicBlock::Create(context_, name, function_); }
  llvm::Value* i64(int64_t value) { return b_.getInt64(static_cast<uint64_t>(value)); }

  // In registers; memory differs for bool (one byte) and index (32 bits).
  llvm::Type* type_of(DType dtype) {
    switch (dtype) {
      case DType::kF64: return b_.getDoubleTy();
      case DType::kF32: return b_.getFloatTy();
      case DType::kF16: return b_.getHalfTy();
      case DType::kBF16: return b_.getBFloatTy();
      case DType::kBool: return b_.getInt1Ty();
      case DType::kIndex: return b_.getInt64Ty();
      default: return b_.getIntNTy(static_cast<unsigned>(ir::size_bytes(dtype) * 8));
    }
  }
  llvm::Type* memory_type(DType dtype) { return dtype == DType::kBool ? b_.getInt8Ty() : dtype == DType::kIndex ? b_.getInt32Ty() : type_of(dtype); }

  // ---- statements

  void stmt(Stmt s) {
    if (!s) return;
    values_.clear();
    switch (s->kind) {
      case StmtKind::kBlock:
        for (Stmt child : s->body) stmt(child);
        return;
      case StmtKind::kFor: return loop(s);
      case StmtKind::kIf: return condition(s);
      case StmtKind::kLet: {
        llvm::Value* value = emit(s->value);
        vars_[s->var] = value;
        return;
      }
      case StmtKind::kAlloc: return alloc(s->buffer);
      case StmtKind::kStore: return store(s);
      case StmtKind::kAtomic:
      case StmtKind::kBarrier: break;
    }
    CHECK(false, "a statement that was refused before");
  }

  void loop(Stmt s) {
    const bool is_core = s == core_;
    if (s->extent == 0) return;
    llvm::Value* begin = is_core ? begin_ : i64(0);
    llvm::Value* end = is_core ? end_ : i64(s->extent);
    llvm::BasicBlock *before = b_.GetInsertBlock(), *body = block("body"), *after = block("after");
    if (is_core) b_.CreateCondBr(b_.CreateICmpSLT(begin, end), body, after);
    else b_.CreateBr(body);
    b_.SetInsertPoint(body);
    llvm::PHINode* var = b_.CreatePHI(b_.getInt64Ty(), 2);
    var->addIncoming(begin, before);
    vars_[s->var] = var;
    stmt(s->body.at(0));
    llvm::Value* next = b_.CreateAdd(var, i64(1), "", true, true);
    var->addIncoming(next, b_.GetInsertBlock());
    b_.CreateCondBr(b_.CreateICmpSLT(next, end), body, after);
    b_.SetInsertPoint(after);
  }

  void condition(Stmt s) {
    llvm::BasicBlock *then = block("then"), *otherwise = block("else"), *after = block("after");
    b_.CreateCondBr(emit(s->value), then, otherwise);
    b_.SetInsertPoint(then);
    stmt(s->body.at(0));
    b_.CreateBr(after);
    b_.SetInsertPoint(otherwise);
    if (s->body.size() > 1) stmt(s->body[1]);
    b_.CreateBr(after);
    b_.SetInsertPoint(after);
  }

  // In the entry block, so that it becomes a register or at least happens once.
  void alloc(ir::Buffer buffer) {
    llvm::IRBuilder<> entry(&function_->getEntryBlock(), function_->getEntryBlock().begin());
    buffers_[buffer] = entry.CreateAlloca(memory_type(buffer->dtype), entry.getInt64(static_cast<uint64_t>(ir::element_count(buffer->shape))));
  }

  llvm::Value* address(ir::Buffer buffer, Expr index) { return b_.CreateInBoundsGEP(memory_type(buffer->dtype), buffers_.at(buffer), emit(index)); }

  void store(Stmt s) {
    llvm::BasicBlock* after = nullptr;
    if (s->mask) {
      llvm::Value* mask = emit(s->mask);
      llvm::BasicBlock* then = block("store");
      after = block("stored");
      b_.CreateCondBr(mask, then, after);
      b_.SetInsertPoint(then);
      values_.clear();
    }
    llvm::Value* value = emit(s->value);
    if (s->buffer->dtype == DType::kBool) value = b_.CreateZExt(value, b_.getInt8Ty());
    if (s->buffer->dtype == DType::kIndex) value = b_.CreateTrunc(value, b_.getInt32Ty());
    b_.CreateStore(value, address(s->buffer, s->indices.at(0)));
    if (!after) return;
    b_.CreateBr(after);
    b_.SetInsertPoint(after);
  }

  // ---- expressions; each node once per statement, all values in blocks that dominate what follows

  llvm::Value* emit(Expr e) {
    if (e->kind == ExprKind::kVar) return vars_.at(e);
    auto found = values_.find(e);
    if (found != values_.end()) return found->second;
    llvm::Value* value = make(e);
    return values_[e] = value;
  }

  llvm::Value* make(Expr e) {
    const DType dtype = e->type.dtype;
    auto arg = [&](size_t i) { return emit(e->args[i]); };
    switch (e->kind) {
      case ExprKind::kConst:
        if (ir::is_float(dtype)) return llvm::ConstantFP::get(type_of(dtype), e->fval);
        return llvm::ConstantInt::get(type_of(dtype), static_cast<uint64_t>(e->ival), !ir::is_unsigned(dtype));
      case ExprKind::kVar: break;
      case ExprKind::kCast: return cast(arg(0), e->args[0]->type.dtype, dtype);
      case ExprKind::kBitcast: return b_.CreateBitCast(arg(0), type_of(dtype));
      case ExprKind::kAdd:
      case ExprKind::kSub:
      case ExprKind::kMul: return arithmetic(e->kind, dtype, arg(0), arg(1));
      case ExprKind::kMad: return arithmetic(ExprKind::kAdd, dtype, arithmetic(ExprKind::kMul, dtype, arg(0), arg(1)), arg(2));
      case ExprKind::kDiv: return ir::is_float(dtype) ? b_.CreateFDiv(arg(0), arg(1)) : divide(e);
      case ExprKind::kMod: return divide(e);
      case ExprKind::kMin: return b_.CreateSelect(less(dtype, arg(1), arg(0)), arg(1), arg(0));
      case ExprKind::kMax: return b_.CreateSelect(less(dtype, arg(0), arg(1)), arg(1), arg(0));
      case ExprKind::kAnd:
      case ExprKind::kBitAnd: return b_.CreateAnd(arg(0), arg(1));
      case ExprKind::kOr:
      case ExprKind::kBitOr: return b_.CreateOr(arg(0), arg(1));
      case ExprKind::kBitXor: return b_.CreateXor(arg(0), arg(1));
      case ExprKind::kNot: return b_.CreateNot(arg(0));
      case ExprKind::kShl: return b_.CreateShl(arg(0), shift_count(dtype, arg(1)));
      case ExprKind::kShr:
        return ir::is_unsigned(dtype) ? b_.CreateLShr(arg(0), shift_count(dtype, arg(1))) : b_.CreateAShr(arg(0), shift_count(dtype, arg(1)));
      case ExprKind::kEq: {
        const bool is_float = ir::is_float(e->args[0]->type.dtype);
        return is_float ? b_.CreateFCmpOEQ(arg(0), arg(1)) : b_.CreateICmpEQ(arg(0), arg(1));
      }
      case ExprKind::kLt: return less(e->args[0]->type.dtype, arg(0), arg(1));
      case ExprKind::kLe: return less_equal(e->args[0]->type.dtype, arg(0), arg(1));
      case ExprKind::kSelect: return b_.CreateSelect(arg(0), arg(1), arg(2));
      case ExprKind::kLoad: return load(e);
      case ExprKind::kCall: return call(e);
      case ExprKind::kBroadcast:
      case ExprKind::kRamp:
      case ExprKind::kExtract:
      case ExprKind::kShuffle: break;
    }
    CHECK(false, cat("an expression that was refused before: ", ir::print(e)));
    return nullptr;  // sanitizers hide from the compiler that CHECK does not return
  }

  llvm::Value* arithmetic(ExprKind kind, DType dtype, llvm::Value* a, llvm::Value* b) {
    if (ir::is_float(dtype)) return kind == ExprKind::kAdd ? b_.CreateFAdd(a, b) : kind == ExprKind::kSub ? b_.CreateFSub(a, b) : b_.CreateFMul(a, b);
    const bool exact = dtype == DType::kIndex;
    return kind == ExprKind::kAdd ? b_.CreateAdd(a, b, "", false, exact) : kind == ExprKind::kSub ? b_.CreateSub(a, b, "", false, exact) : b_.CreateMul(a, b, "", false, exact);
  }

  llvm::Value* less(DType dtype, llvm::Value* a, llvm::Value* b) {
    if (ir::is_float(dtype)) return b_.CreateFCmpOLT(a, b);
    return ir::is_unsigned(dtype) || dtype == DType::kBool ? b_.CreateICmpULT(a, b) : b_.CreateICmpSLT(a, b);
  }
  llvm::Value* less_equal(DType dtype, llvm::Value* a, llvm::Value* b) {
    if (ir::is_float(dtype)) return b_.CreateFCmpOLE(a, b);
    return ir::is_unsigned(dtype) || dtype == DType::kBool ? b_.CreateICmpULE(a, b) : b_.CreateICmpSLE(a, b);
  }

  llvm::Value* shift_count(DType dtype, llvm::Value* count) { return b_.CreateAnd(count, llvm::ConstantInt::get(count->getType(), static_cast<uint64_t>(ir::size_bytes(dtype) * 8 - 1))); }

  // Integer Div and Mod. A dividend that intervals prove not negative needs no correction, which keeps index arithmetic cheap.
  llvm::Value* divide(Expr e) {
    const DType dtype = e->type.dtype;
    const bool is_div = e->kind == ExprKind::kDiv;
    const Expr divisor = e->args[1];
    llvm::Value *a = emit(e->args[0]), *b = emit(divisor);
    const bool plain = ir::is_const(divisor) && divisor->ival > 0;
    if (plain && (ir::is_unsigned(dtype) || (dtype == DType::kIndex && analyzer_.bounds(e->args[0]).lo >= 0))) return is_div ? b_.CreateUDiv(a, b) : b_.CreateURem(a, b);
    if (plain) return floored(is_div, a, b);
    llvm::Value* zero = llvm::ConstantInt::get(a->getType(), 0);
    llvm::Value* one = llvm::ConstantInt::get(a->getType(), 1);
    llvm::Value* by_zero = b_.CreateICmpEQ(b, zero);
    if (ir::is_unsigned(dtype)) {
      llvm::Value* safe = b_.CreateSelect(by_zero, one, b);
      return b_.CreateSelect(by_zero, zero, is_div ? b_.CreateUDiv(a, safe) : b_.CreateURem(a, safe));
    }
    llvm::Value* by_minus_one = b_.CreateICmpEQ(b, llvm::ConstantInt::getSigned(a->getType(), -1));
    llvm::Value* safe = b_.CreateSelect(b_.CreateOr(by_zero, by_minus_one), one, b);
    llvm::Value* negated = is_div ? b_.CreateNeg(a) : zero;
    return b_.CreateSelect(by_zero, zero, b_.CreateSelect(by_minus_one, negated, floored(is_div, a, safe)));
  }

  llvm::Value* floored(bool is_div, llvm::Value* a, llvm::Value* b) {
    llvm::Value* zero = llvm::ConstantInt::get(a->getType(), 0);
    llvm::Value* rest = b_.CreateSRem(a, b);
    llvm::Value* crosses = b_.CreateAnd(b_.CreateICmpNE(rest, zero), b_.CreateICmpSLT(b_.CreateXor(rest, b), zero));
    if (!is_div) return b_.CreateSelect(crosses, b_.CreateAdd(rest, b), rest);
    return b_.CreateSub(b_.CreateSDiv(a, b), b_.CreateZExt(crosses, a->getType()));
  }

  llvm::Value* cast(llvm::Value* value, DType from, DType to) {
    if (from == to) return value;
    if (ir::is_float(from) && ir::is_float(to)) {
      // f16 and bf16 are equally wide, which LLVM takes for equal; f32 holds both.
      if (ir::size_bytes(from) == 2 && ir::size_bytes(to) == 2) value = b_.CreateFPExt(value, b_.getFloatTy());
      return b_.CreateFPCast(value, type_of(to));
    }
    if (to == DType::kBool) return ir::is_float(from) ? b_.CreateFCmpUNE(value, llvm::ConstantFP::get(value->getType(), 0)) : b_.CreateICmpNE(value, llvm::ConstantInt::get(value->getType(), 0));
    if (ir::is_float(from)) return float_to_integer(value, to);
    const bool zero_extends = ir::is_unsigned(from) || from == DType::kBool;
    if (ir::is_float(to)) return zero_extends ? b_.CreateUIToFP(value, type_of(to)) : b_.CreateSIToFP(value, type_of(to));
    if (to == DType::kIndex) return b_.CreateSExt(zero_extends ? b_.CreateZExtOrTrunc(value, b_.getInt32Ty()) : b_.CreateSExtOrTrunc(value, b_.getInt32Ty()), b_.getInt64Ty());
    return zero_extends ? b_.CreateZExtOrTrunc(value, type_of(to)) : b_.CreateSExtOrTrunc(value, type_of(to));
  }

  llvm::Value* float_to_integer(llvm::Value* value, DType to) {
    const auto id = ir::is_unsigned(to) ? llvm::Intrinsic::fptoui_sat : llvm::Intrinsic::fptosi_sat;
    llvm::Type* type = to == DType::kIndex ? b_.getInt32Ty() : type_of(to);
    llvm::Value* whole = b_.CreateIntrinsic(id, {type, value->getType()}, {value});
    return to == DType::kIndex ? b_.CreateSExt(whole, b_.getInt64Ty()) : whole;
  }

  llvm::Value* load_scalar(ir::Buffer buffer, llvm::Value* at) {
    llvm::Value* value = b_.CreateLoad(memory_type(buffer->dtype), at);
    if (buffer->dtype == DType::kBool) return b_.CreateICmpNE(value, b_.getInt8(0));
    return buffer->dtype == DType::kIndex ? b_.CreateSExt(value, b_.getInt64Ty()) : value;
  }

  // A masked load is a branch: the address may lie outside the buffer.
  llvm::Value* load(Expr e) {
    if (!e->mask) return load_scalar(e->buffer, address(e->buffer, e->args.at(0)));
    llvm::Value* mask = emit(e->mask);
    llvm::Value* index = emit(e->args.at(0));
    llvm::Value* other = e->other ? emit(e->other) : llvm::Constant::getNullValue(type_of(e->type.dtype));
    llvm::BasicBlock *before = b_.GetInsertBlock(), *then = block("load"), *after = block("loaded");
    b_.CreateCondBr(mask, then, after);
    b_.SetInsertPoint(then);
    llvm::Value* value = load_scalar(e->buffer, b_.CreateInBoundsGEP(memory_type(e->buffer->dtype), buffers_.at(e->buffer), index));
    b_.CreateBr(after);
    b_.SetInsertPoint(after);
    llvm::PHINode* result = b_.CreatePHI(value->getType(), 2);
    result->addIncoming(value, then);
    result->addIncoming(other, before);
    return result;
  }

  // Functions work in f64, through LLVM's intrinsics where the host has instructions and through libm elsewhere.
  llvm::Value* call(Expr e) {
    const DType dtype = e->type.dtype;
    llvm::Value* a = emit(e->args[0]);
    if (!ir::is_float(dtype)) return ir::is_unsigned(dtype) ? a : b_.CreateSelect(less(dtype, a, llvm::ConstantInt::get(a->getType(), 0)), b_.CreateNeg(a), a);
    llvm::Type* real = b_.getDoubleTy();
    std::vector<llvm::Value*> args{b_.CreateFPCast(a, real)};
    if (e->args.size() > 1) args.push_back(b_.CreateFPCast(emit(e->args[1]), real));
    return b_.CreateFPCast(function_value(e->intrinsic, args), type_of(dtype));
  }

  llvm::Value* function_value(ir::Intrinsic intrinsic, const std::vector<llvm::Value*>& args) {
    auto unary = [&](llvm::Intrinsic::ID id) { return b_.CreateUnaryIntrinsic(id, args[0]); };
    switch (intrinsic) {
      case ir::Intrinsic::kSqrt: return unary(llvm::Intrinsic::sqrt);
      case ir::Intrinsic::kRsqrt: return b_.CreateFDiv(llvm::ConstantFP::get(b_.getDoubleTy(), 1), unary(llvm::Intrinsic::sqrt));
      case ir::Intrinsic::kFloor: return unary(llvm::Intrinsic::floor);
      case ir::Intrinsic::kCeil: return unary(llvm::Intrinsic::ceil);
      case ir::Intrinsic::kTrunc: return unary(llvm::Intrinsic::trunc);
      case ir::Intrinsic::kRound: return unary(llvm::Intrinsic::roundeven);
      case ir::Intrinsic::kAbs: return unary(llvm::Intrinsic::fabs);
      case ir::Intrinsic::kNone:
      case ir::Intrinsic::kExp:
      case ir::Intrinsic::kLog:
      case ir::Intrinsic::kTanh:
      case ir::Intrinsic::kErf:
      case ir::Intrinsic::kSin:
      case ir::Intrinsic::kCos:
      case ir::Intrinsic::kPow: break;
    }
    std::vector<llvm::Type*> types(args.size(), b_.getDoubleTy());
    auto callee = module_.getOrInsertFunction(std::string(ir::intrinsic_name(intrinsic)), llvm::FunctionType::get(b_.getDoubleTy(), types, false));
    return b_.CreateCall(callee, args);
  }

  llvm::Module& module_;
  llvm::LLVMContext& context_;
  llvm::IRBuilder<> b_;
  const ir::Kernel& kernel_;
  arith::Analyzer analyzer_;
  llvm::Function* function_ = nullptr;
  llvm::Value *begin_ = nullptr, *end_ = nullptr;
  Stmt core_ = nullptr;
  std::unordered_map<ir::Buffer, llvm::Value*> buffers_;
  std::unordered_map<ir::Var, llvm::Value*> vars_;
  std::unordered_map<Expr, llvm::Value*> values_;
};

// void name(ptr buffers, i64 begin, i64 end): unpacks the pointers; inlining keeps what `noalias` says.
void emit_entry(llvm::Module& module, llvm::Function* launch, const std::string& name) {
  llvm::IRBuilder<> b(module.getContext());
  auto* type = llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy(), b.getInt64Ty(), b.getInt64Ty()}, false);
  auto* entry = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
  b.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "entry", entry));
  std::vector<llvm::Value*> args;
  for (unsigned i = 0; i + 2 < launch->arg_size(); ++i) args.push_back(b.CreateLoad(b.getPtrTy(), b.CreateConstInBoundsGEP1_64(b.getPtrTy(), entry->getArg(0), i)));
  args.push_back(entry->getArg(1));
  args.push_back(entry->getArg(2));
  b.CreateCall(launch, args);
  b.CreateRetVoid();
}

void optimize(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager cycles;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder passes(&machine);
  passes.registerModuleAnalyses(modules);
  passes.registerCGSCCAnalyses(cycles);
  passes.registerFunctionAnalyses(functions);
  passes.registerLoopAnalyses(loops);
  passes.crossRegisterProxies(loops, functions, cycles, modules);
  passes.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2).run(module, modules);
}

Error internal_error(const char* what, llvm::Error error) {
  return Error{ErrorCode::kInternal, cat("LLVM refused to ", what, ": ", llvm::toString(std::move(error)))};
}

}  // namespace

struct ReferenceJit::State {
  using Entry = void (*)(void* const*, int64_t, int64_t);
  struct LaunchEntry {
    Entry entry = nullptr;
    int64_t extent = 1;    // of the loop that threads may share
    double work = 0;
  };
  std::unique_ptr<llvm::orc::LLJIT> jit;
  std::vector<LaunchEntry> launches;
  size_t arg_count = 0;
  std::vector<size_t> temp_bytes;
};

ReferenceJit::ReferenceJit(std::unique_ptr<State> state) : state_(std::move(state)) {}
ReferenceJit::~ReferenceJit() = default;

Result<std::unique_ptr<ReferenceJit>> ReferenceJit::create(const ir::Kernel& kernel) {
  static const bool initialised = !llvm::InitializeNativeTarget() && !llvm::InitializeNativeTargetAsmPrinter();
  if (!initialised) return Error{ErrorCode::kUnsupported, "this LLVM has no code generator for the host"};
  for (const ir::Launch& launch : kernel.launches)
    if (std::string found = unsupported_in(launch); !found.empty()) return Error{ErrorCode::kUnsupported, cat("the reference runs serial scalar kernels; found ", found)};

  auto host = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!host) return internal_error("name the host", host.takeError());
  auto machine = host->createTargetMachine();
  if (!machine) return internal_error("make a code generator", machine.takeError());
  auto jit = llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(*host).create();
  if (!jit) return internal_error("start its JIT", jit.takeError());

  auto context = std::make_unique<llvm::LLVMContext>();
  auto module = std::make_unique<llvm::Module>("reference", *context);
  module->setDataLayout((*jit)->getDataLayout());
  module->setTargetTriple((*machine)->getTargetTriple().str());
  auto state = std::make_unique<State>();
  for (size_t i = 0; i < kernel.launches.size(); ++i) {
    llvm::Function* launch = LaunchEmitter(*module, kernel).emit(kernel.launches[i], cat("nest", i));
    emit_entry(*module, launch, cat("launch", i));
    const Stmt core = core_loop(kernel.launches[i]);
    state->launches.push_back({nullptr, core ? core->extent : 1, work_of(kernel.launches[i].body)});
  }
  std::string broken;
  llvm::raw_string_ostream report(broken);
  CHECK(!llvm::verifyModule(*module, &report), cat("the reference emitted broken LLVM IR: ", broken, "\n", ir::print(kernel)));
  optimize(*module, **machine);

  if (auto error = (*jit)->addIRModule(llvm::orc::ThreadSafeModule(std::move(module), std::move(context)))) return internal_error("take the module", std::move(error));
  for (size_t i = 0; i < kernel.launches.size(); ++i) {
    auto symbol = (*jit)->lookup(cat("launch", i));
    if (!symbol) return internal_error("compile the module", symbol.takeError());
    state->launches[i].entry = symbol->toPtr<State::Entry>();
  }
  state->jit = std::move(*jit);
  state->arg_count = kernel.args.size();
  for (ir::Buffer temp : kernel.temps) state->temp_bytes.push_back(static_cast<size_t>(ir::element_count(temp->shape) * ir::size_bytes(temp->dtype)));
  return std::unique_ptr<ReferenceJit>(new ReferenceJit(std::move(state)));
}

Status ReferenceJit::run(std::span<void* const> args, RunOptions options) const {
  constexpr double kWorkPerThread = 200'000;  // some 0.2 ms: well above the price of a thread
  if (args.size() != state_->arg_count) return Error{ErrorCode::kInvalidArgument, cat("found ", args.size(), " arguments, the kernel has ", state_->arg_count)};
  std::vector<void*> pointers(args.begin(), args.end());
  std::vector<std::unique_ptr<char[]>> temps;
  for (size_t bytes : state_->temp_bytes) {
    temps.emplace_back(new (std::nothrow) char[bytes + 1]);
    if (!temps.back()) return Error{ErrorCode::kOutOfMemory, cat("no memory for ", bytes, " bytes of an intermediate tensor")};
    pointers.push_back(temps.back().get());
  }
  for (const State::LaunchEntry& launch : state_->launches) {
    const int64_t affordable = std::min<int64_t>(launch.extent, static_cast<int64_t>(launch.work / kWorkPerThread) + 1);
    const int64_t parts = std::max<int64_t>(1, std::min<int64_t>(options.threads_max, affordable));
    std::vector<std::thread> others;
    for (int64_t part = 1; part < parts; ++part)
      others.emplace_back(launch.entry, pointers.data(), launch.extent * part / parts, launch.extent * (part + 1) / parts);
    launch.entry(pointers.data(), 0, launch.extent / parts);
    for (std::thread& other : others) other.join();
  }
  return ok_status();
}

}  // namespace hone::emit
