#include "codegen/emit/llvm/operations.h"

#include <llvm/IR/IntrinsicsWebAssembly.h>
#include <llvm/IR/Module.h>

#include <algorithm>

#include "base/cat.h"
#include "codegen/ir/printer.h"

namespace hone::emit {

using ir::DType;
using ir::Expr;
using ir::ExprKind;
using llvm::Value;

namespace {

llvm::Type* with_lanes(llvm::Type* scalar, int lanes) {
  return lanes == 1 ? scalar : llvm::FixedVectorType::get(scalar, static_cast<unsigned>(lanes));
}

llvm::Type* like(llvm::Type* scalar, Value* shape) { return shape->getType()->getWithNewType(scalar); }

bool is_index(ir::Type type) { return type.dtype == DType::kIndex; }

}  // namespace

llvm::Type* Operations::type_of(ir::Type type) {
  switch (type.dtype) {
    case DType::kF64:
      return with_lanes(b_.getDoubleTy(), type.lanes);
    case DType::kF32:
      return with_lanes(b_.getFloatTy(), type.lanes);
    case DType::kF16:
      return with_lanes(b_.getHalfTy(), type.lanes);
    case DType::kBF16:
      return with_lanes(b_.getBFloatTy(), type.lanes);
    case DType::kBool:
      return with_lanes(b_.getInt1Ty(), type.lanes);
    case DType::kIndex:
      return with_lanes(b_.getIntNTy(static_cast<unsigned>(config_.index_bits)), type.lanes);
    default:
      return with_lanes(b_.getIntNTy(static_cast<unsigned>(ir::size_bytes(type.dtype) * 8)), type.lanes);
  }
}

llvm::Type* Operations::memory_type(ir::Type type) {
  if (type.dtype == DType::kBool) return with_lanes(b_.getInt8Ty(), type.lanes);
  return is_index(type) ? with_lanes(b_.getInt32Ty(), type.lanes) : type_of(type);
}

Value* Operations::to_memory(ir::Type type, Value* value) {
  if (type.dtype == DType::kBool) return b_.CreateZExt(value, memory_type(type));
  return is_index(type) ? b_.CreateSExtOrTrunc(value, memory_type(type)) : value;
}

Value* Operations::from_memory(ir::Type type, Value* value) {
  if (type.dtype == DType::kBool) return b_.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType()));
  return is_index(type) ? b_.CreateSExtOrTrunc(value, type_of(type)) : value;
}

Value* Operations::make(Expr e, const Values& args) {
  const DType dtype = e->type.dtype;
  const ir::Type first = e->args.empty() ? ir::Type{} : e->args[0]->type;
  switch (e->kind) {
    case ExprKind::kConst:
      return constant(e);
    case ExprKind::kCast:
      return cast(first, e->type, args[0]);
    case ExprKind::kBitcast:
      return bitcast(e, args[0]);
    case ExprKind::kAdd:
    case ExprKind::kSub:
    case ExprKind::kMul:
      return arithmetic(e->kind, dtype, args[0], args[1]);
    case ExprKind::kMad:
      return mad(e, args);
    case ExprKind::kMin:
    case ExprKind::kMax:
      return extreme(e, args);
    case ExprKind::kAnd:
    case ExprKind::kBitAnd:
      return b_.CreateAnd(args[0], args[1]);
    case ExprKind::kOr:
    case ExprKind::kBitOr:
      return b_.CreateOr(args[0], args[1]);
    case ExprKind::kBitXor:
      return b_.CreateXor(args[0], args[1]);
    case ExprKind::kNot:
      return b_.CreateNot(args[0]);
    case ExprKind::kShl:
    case ExprKind::kShr:
      return shift(e, args[0], args[1]);
    case ExprKind::kEq:
      return ir::is_float(first.dtype) ? b_.CreateFCmpOEQ(args[0], args[1]) : b_.CreateICmpEQ(args[0], args[1]);
    case ExprKind::kLt:
      return less(first.dtype, args[0], args[1]);
    case ExprKind::kLe:
      return less_equal(first.dtype, args[0], args[1]);
    case ExprKind::kSelect:
      return b_.CreateSelect(args[0], args[1], args[2]);
    case ExprKind::kBroadcast:
      return b_.CreateVectorSplat(static_cast<unsigned>(e->type.lanes), args[0]);
    case ExprKind::kRamp:
      return ramp(e, args);
    case ExprKind::kExtract:
      return extract(e, args);
    case ExprKind::kShuffle:
      return shuffle(e, args);
    case ExprKind::kCall:
      return call(e, args);
    case ExprKind::kDiv:
    case ExprKind::kMod:
    case ExprKind::kVar:
    case ExprKind::kLoad:
      break;
  }
  CHECK(false, cat("not an operation on values alone: ", ir::print(e)));
  return nullptr;  // sanitizers hide from the compiler that CHECK does not return
}

Value* Operations::constant(Expr e) {
  if (ir::is_float(e->type.dtype)) return llvm::ConstantFP::get(type_of(e->type), e->fval);
  return llvm::ConstantInt::get(type_of(e->type), static_cast<uint64_t>(e->ival), !ir::is_unsigned(e->type.dtype));
}

Value* Operations::arithmetic(ExprKind kind, DType dtype, Value* a, Value* b) {
  const bool exact = dtype == DType::kIndex;  // it never overflows
  const bool is_float = ir::is_float(dtype);
  if (kind == ExprKind::kAdd) return is_float ? b_.CreateFAdd(a, b) : b_.CreateAdd(a, b, "", false, exact);
  if (kind == ExprKind::kSub) return is_float ? b_.CreateFSub(a, b) : b_.CreateSub(a, b, "", false, exact);
  return is_float ? b_.CreateFMul(a, b) : b_.CreateMul(a, b, "", false, exact);
}

Value* Operations::mad(Expr e, const Values& args) {
  using Mad = LaunchConfig::Mad;
  const DType dtype = e->type.dtype;
  const bool has_relaxed = (dtype == DType::kF32 && e->type.lanes == 4) || (dtype == DType::kF64 && e->type.lanes == 2);
  llvm::Type* type = type_of(e->type);
  if (config_.mad == Mad::kRelaxed && has_relaxed)
    return b_.CreateIntrinsic(llvm::Intrinsic::wasm_relaxed_madd, {type}, {args[0], args[1], args[2]});
  if (config_.mad == Mad::kFused && ir::is_float(dtype))
    return b_.CreateIntrinsic(llvm::Intrinsic::fmuladd, {type}, {args[0], args[1], args[2]});
  return arithmetic(ExprKind::kAdd, dtype, arithmetic(ExprKind::kMul, dtype, args[0], args[1]), args[2]);
}

Value* Operations::less(DType dtype, Value* a, Value* b) {
  if (ir::is_float(dtype)) return b_.CreateFCmpOLT(a, b);
  return ir::is_unsigned(dtype) || dtype == DType::kBool ? b_.CreateICmpULT(a, b) : b_.CreateICmpSLT(a, b);
}

Value* Operations::less_equal(DType dtype, Value* a, Value* b) {
  if (ir::is_float(dtype)) return b_.CreateFCmpOLE(a, b);
  return ir::is_unsigned(dtype) || dtype == DType::kBool ? b_.CreateICmpULE(a, b) : b_.CreateICmpSLE(a, b);
}

Value* Operations::shift(Expr e, Value* a, Value* count) {
  const DType dtype = e->type.dtype;
  const uint64_t bits = static_cast<uint64_t>(ir::size_bytes(dtype) * 8);
  count = b_.CreateAnd(count, llvm::ConstantInt::get(count->getType(), bits - 1));
  if (e->kind == ExprKind::kShl) return b_.CreateShl(a, count);
  return ir::is_unsigned(dtype) ? b_.CreateLShr(a, count) : b_.CreateAShr(a, count);
}

Value* Operations::divide(Expr e, Value* a, Value* b, bool not_negative) {
  const DType dtype = e->type.dtype;
  const bool is_div = e->kind == ExprKind::kDiv;
  if (ir::is_float(dtype)) return b_.CreateFDiv(a, b);
  const Expr divisor = e->args[1]->kind == ExprKind::kBroadcast ? e->args[1]->args[0] : e->args[1];
  const bool plain = ir::is_const(divisor) && divisor->ival > 0;
  if (plain && (ir::is_unsigned(dtype) || not_negative)) return is_div ? b_.CreateUDiv(a, b) : b_.CreateURem(a, b);
  if (plain) return floored(is_div, a, b);
  Value *zero = llvm::ConstantInt::get(a->getType(), 0), *one = llvm::ConstantInt::get(a->getType(), 1);
  Value* by_zero = b_.CreateICmpEQ(b, zero);
  if (ir::is_unsigned(dtype)) {
    Value* safe = b_.CreateSelect(by_zero, one, b);
    return b_.CreateSelect(by_zero, zero, is_div ? b_.CreateUDiv(a, safe) : b_.CreateURem(a, safe));
  }
  Value* by_minus_one = b_.CreateICmpEQ(b, llvm::ConstantInt::getSigned(a->getType(), -1));
  Value* safe = b_.CreateSelect(b_.CreateOr(by_zero, by_minus_one), one, b);
  Value* negated = is_div ? b_.CreateNeg(a) : zero;
  return b_.CreateSelect(by_zero, zero, b_.CreateSelect(by_minus_one, negated, floored(is_div, a, safe)));
}

Value* Operations::floored(bool is_div, Value* a, Value* b) {
  Value* zero = llvm::ConstantInt::get(a->getType(), 0);
  Value* rest = b_.CreateSRem(a, b);
  Value* crosses = b_.CreateAnd(b_.CreateICmpNE(rest, zero), b_.CreateICmpSLT(b_.CreateXor(rest, b), zero));
  if (!is_div) return b_.CreateSelect(crosses, b_.CreateAdd(rest, b), rest);
  return b_.CreateSub(b_.CreateSDiv(a, b), b_.CreateZExt(crosses, a->getType()));
}

// LLVM leaves it to a function that not every processor's runtime has. What f32 cannot hold becomes odd there, so that it is rounded once.
Value* Operations::to_bf16(ir::Type from, Value* value) {
  const ir::Type single{DType::kF32, from.lanes}, exact{DType::kF64, from.lanes};
  if (from.dtype != DType::kF64 && from.dtype != DType::kF32 && from.dtype != DType::kF16)
    return to_bf16(exact, cast(from, exact, value));
  Value* narrow = cast(from, single, value);
  llvm::Type* word = like(b_.getInt32Ty(), value);
  const auto number = [&](uint64_t n) { return llvm::ConstantInt::get(word, n); };
  Value* bits = b_.CreateBitCast(narrow, word);
  if (from.dtype == DType::kF64) {
    Value* back = b_.CreateFPExt(narrow, value->getType());
    Value* lost =
        b_.CreateAnd(b_.CreateFCmpONE(back, value), b_.CreateICmpEQ(b_.CreateAnd(bits, number(1)), number(0)));
    Value* too_small = b_.CreateFCmpOLT(b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, back),
                                        b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value));
    Value* odd = b_.CreateSelect(too_small, b_.CreateAdd(bits, number(1)), b_.CreateSub(bits, number(1)));
    bits = b_.CreateSelect(lost, odd, bits);
  }
  Value* even = b_.CreateAnd(b_.CreateLShr(bits, number(16)), number(1));
  Value* rounded = b_.CreateAdd(bits, b_.CreateAdd(even, number(0x7fff)));
  Value* kept = b_.CreateSelect(b_.CreateFCmpUNO(narrow, narrow), b_.CreateOr(bits, number(0x400000)), rounded);
  llvm::Type* half = like(b_.getInt16Ty(), value);
  return b_.CreateBitCast(b_.CreateTrunc(b_.CreateLShr(kept, number(16)), half), type_of({DType::kBF16, from.lanes}));
}

Value* Operations::cast(ir::Type from, ir::Type to, Value* value) {
  llvm::Type* type = type_of(to);
  if (from.dtype == to.dtype) return value;
  if (to.dtype == DType::kBF16) return to_bf16(from, value);
  if (ir::is_float(from.dtype) && ir::is_float(to.dtype)) {
    // f16 and bf16 are equally wide, which LLVM takes for equal; f32 holds both.
    const bool both_narrow = ir::size_bytes(from.dtype) == 2 && ir::size_bytes(to.dtype) == 2;
    return b_.CreateFPCast(both_narrow ? b_.CreateFPExt(value, like(b_.getFloatTy(), value)) : value, type);
  }
  Value* zero = llvm::Constant::getNullValue(value->getType());
  if (to.dtype == DType::kBool)
    return ir::is_float(from.dtype) ? b_.CreateFCmpUNE(value, zero) : b_.CreateICmpNE(value, zero);
  if (ir::is_float(from.dtype)) {
    const auto id = ir::is_unsigned(to.dtype) ? llvm::Intrinsic::fptoui_sat : llvm::Intrinsic::fptosi_sat;
    llvm::Type* whole = is_index(to) ? like(b_.getInt32Ty(), value) : type;
    return b_.CreateSExtOrTrunc(b_.CreateIntrinsic(id, {whole, value->getType()}, {value}), type);
  }
  const bool zero_extends = ir::is_unsigned(from.dtype) || from.dtype == DType::kBool;
  if (ir::is_float(to.dtype)) return zero_extends ? b_.CreateUIToFP(value, type) : b_.CreateSIToFP(value, type);
  if (is_index(to)) {
    llvm::Type* word = like(b_.getInt32Ty(), value);
    value = zero_extends ? b_.CreateZExtOrTrunc(value, word) : b_.CreateSExtOrTrunc(value, word);
    return b_.CreateSExtOrTrunc(value, type);
  }
  return zero_extends ? b_.CreateZExtOrTrunc(value, type) : b_.CreateSExtOrTrunc(value, type);
}

Value* Operations::bitcast(Expr e, Value* value) {
  Value* bits = to_memory(e->args[0]->type, value);
  return from_memory(e->type, b_.CreateBitCast(bits, memory_type(e->type)));
}

Value* Operations::ramp(Expr e, const Values& args) {
  llvm::Type* type = type_of(e->type);
  std::vector<llvm::Constant*> steps;
  for (int lane = 0; lane < e->type.lanes; ++lane)
    steps.push_back(llvm::ConstantInt::get(type->getScalarType(), static_cast<uint64_t>(lane)));
  const unsigned lanes = static_cast<unsigned>(e->type.lanes);
  Value* offsets = b_.CreateMul(llvm::ConstantVector::get(steps), b_.CreateVectorSplat(lanes, args[1]));
  return b_.CreateAdd(b_.CreateVectorSplat(lanes, args[0]), offsets);
}

// A lane by a variable number would go through memory in LLVM; the selects stay in registers.
Value* Operations::extract(Expr e, const Values& args) {
  if (args.size() == 1) return b_.CreateExtractElement(args[0], static_cast<uint64_t>(e->lane()));
  Value* out = b_.CreateExtractElement(args[0], uint64_t{0});
  for (int lane = 1; lane < e->args[0]->type.lanes; ++lane) {
    Value* is_it = b_.CreateICmpEQ(args[1], llvm::ConstantInt::get(args[1]->getType(), static_cast<uint64_t>(lane)));
    out = b_.CreateSelect(is_it, b_.CreateExtractElement(args[0], static_cast<uint64_t>(lane)), out);
  }
  return out;
}

Value* Operations::shuffle(Expr e, const Values& args) {
  const bool is_one = args.size() == 1 && e->args[0]->type.lanes > 1;
  const bool are_two = args.size() == 2 && e->args[0]->type.lanes > 1 && e->args[0]->type == e->args[1]->type;
  if (e->type.lanes > 1 && (is_one || are_two)) return b_.CreateShuffleVector(args[0], args.back(), e->lanes);
  Value* out = e->type.lanes == 1 ? nullptr : llvm::PoisonValue::get(type_of(e->type));
  for (int lane = 0; lane < e->type.lanes; ++lane) {
    int from = e->lanes[static_cast<size_t>(lane)];
    size_t part = 0;
    for (; from >= e->args[part]->type.lanes; ++part) from -= e->args[part]->type.lanes;
    Value* value = args[part];
    if (e->args[part]->type.lanes > 1) value = b_.CreateExtractElement(value, static_cast<uint64_t>(from));
    out = out ? b_.CreateInsertElement(out, value, static_cast<uint64_t>(lane)) : value;
  }
  return out;
}

// A NaN in front stays, because no comparison with it is true; one behind is lost. One instruction (maxps, f32x4.pmax).
Value* Operations::ordered_extreme(Expr e, Value* front, Value* behind) {
  const DType dtype = e->type.dtype;
  const bool is_min = e->kind == ExprKind::kMin;
  return b_.CreateSelect(is_min ? less(dtype, behind, front) : less(dtype, front, behind), behind, front);
}

// Of two numbers both orders give the same bits (but for the sign of zero), of a number and a NaN one gives the NaN: so their union is one.
// WebAssembly's own f32x4.max, which distinguishes zeros, takes twice as long on x86.
Value* Operations::extreme(Expr e, const Values& args) {
  if (!ir::is_float(e->type.dtype) || ir::is_number(e->args[1])) return ordered_extreme(e, args[0], args[1]);
  if (ir::is_number(e->args[0])) return ordered_extreme(e, args[1], args[0]);
  llvm::Type* const type = args[0]->getType();
  llvm::Type* const bits = with_lanes(b_.getIntNTy(type->getScalarSizeInBits()), e->type.lanes);
  Value* const one = b_.CreateBitCast(ordered_extreme(e, args[0], args[1]), bits);
  Value* const other = b_.CreateBitCast(ordered_extreme(e, args[1], args[0]), bits);
  return b_.CreateBitCast(b_.CreateOr(one, other), type);
}

// ---- functions

Value* Operations::call(Expr e, const Values& args) {
  const DType dtype = e->type.dtype;
  if (!ir::is_float(dtype)) {
    Value* zero = llvm::Constant::getNullValue(args[0]->getType());
    return ir::is_unsigned(dtype) ? args[0]
                                  : b_.CreateSelect(less(dtype, args[0], zero), b_.CreateNeg(args[0]), args[0]);
  }
  const bool in_double = config_.functions == LaunchConfig::Functions::kDouble;
  llvm::Type* scalar = in_double || dtype == DType::kF64 ? b_.getDoubleTy() : b_.getFloatTy();
  Values wide;
  for (Value* arg : args) wide.push_back(b_.CreateFPCast(arg, like(scalar, arg)));
  Value* result = instruction_of(e->intrinsic, wide[0]);
  return b_.CreateFPCast(result ? result : library_call(e->intrinsic, wide), type_of(e->type));
}

// Null where neither a CPU nor WebAssembly has one.
Value* Operations::instruction_of(ir::Intrinsic intrinsic, Value* a) {
  auto unary = [&](llvm::Intrinsic::ID id) { return b_.CreateUnaryIntrinsic(id, a); };
  switch (intrinsic) {
    case ir::Intrinsic::kSqrt:
      return unary(llvm::Intrinsic::sqrt);
    case ir::Intrinsic::kRsqrt:
      return b_.CreateFDiv(llvm::ConstantFP::get(a->getType(), 1), unary(llvm::Intrinsic::sqrt));
    case ir::Intrinsic::kFloor:
      return unary(llvm::Intrinsic::floor);
    case ir::Intrinsic::kCeil:
      return unary(llvm::Intrinsic::ceil);
    case ir::Intrinsic::kTrunc:
      return unary(llvm::Intrinsic::trunc);
    case ir::Intrinsic::kRound:
      return unary(llvm::Intrinsic::roundeven);
    case ir::Intrinsic::kAbs:
      return unary(llvm::Intrinsic::fabs);
    case ir::Intrinsic::kNone:
    case ir::Intrinsic::kLaneXor:
    case ir::Intrinsic::kLaneRead:
    case ir::Intrinsic::kDot4:
    case ir::Intrinsic::kExp:
    case ir::Intrinsic::kLog:
    case ir::Intrinsic::kTanh:
    case ir::Intrinsic::kErf:
    case ir::Intrinsic::kSin:
    case ir::Intrinsic::kCos:
    case ir::Intrinsic::kPow:
      break;
  }
  return nullptr;
}

Value* Operations::library_call(ir::Intrinsic intrinsic, const Values& args) {
  llvm::Type *type = args[0]->getType(), *scalar = type->getScalarType();
  llvm::Module& module = *b_.GetInsertBlock()->getModule();
  const std::string name = cat(ir::intrinsic_name(intrinsic), scalar->isFloatTy() ? "f" : "");
  std::vector<llvm::Type*> types(args.size(), scalar);
  llvm::FunctionCallee callee = module.getOrInsertFunction(name, llvm::FunctionType::get(scalar, types, false));
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setDoesNotThrow();
  function->setDoesNotAccessMemory();
  function->setWillReturn();
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  if (!vector) return b_.CreateCall(callee, args);
  Value* out = llvm::PoisonValue::get(type);
  for (uint64_t lane = 0; lane < vector->getNumElements(); ++lane) {
    Values lanes;
    for (Value* arg : args) lanes.push_back(b_.CreateExtractElement(arg, lane));
    out = b_.CreateInsertElement(out, b_.CreateCall(callee, lanes), lane);
  }
  return out;
}

}  // namespace hone::emit
