#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "base/cat.h"
#include "codegen/ir/mutator.h"
#include "codegen/ir/numeric.h"
#include "codegen/ir/printer.h"
#include "codegen/ir/verify.h"

namespace hone::ir {
namespace {

bool is_bool(Expr e) { return e->type.dtype == DType::kBool; }

const char* check_const(Expr e) {
  const DType dtype = e->type.dtype;
  if (e->type.lanes != 1) return "a constant is a scalar";
  if (is_float(dtype)) {
    if (e->ival != 0) return "a float constant has an integer value";
    return dtype == DType::kF32 && !std::isnan(e->fval) && round_to(dtype, e->fval) != e->fval ? "a constant is not a value of its type" : nullptr;
  }
  if (e->fval != 0) return "an integer constant has a float value";
  if (dtype == DType::kIndex) return e->ival == static_cast<int32_t>(e->ival) ? nullptr : "an index constant needs more than 32 bits";
  return wrap_to(dtype, e->ival) == e->ival ? nullptr : "a constant is out of its type's range";
}

const char* check_load(Expr e) {
  if (!e->buffer) return "a load has no buffer";
  int index_lanes = 1;
  for (Expr index : e->args) index_lanes = std::max(index_lanes, index->type.lanes);
  for (Expr index : e->args) {
    if (index->type.dtype != DType::kIndex) return "an index is not of type index";
    if (index->type.lanes != 1 && index->type.lanes != index_lanes) return "the indices' lanes differ";
  }
  if (e->type.dtype != e->buffer->dtype || e->type.lanes != index_lanes * e->buffer->lanes) return "a load's type is not that of its elements";
  if (e->mask && !(is_bool(e->mask) && (e->mask->type.lanes == 1 || e->mask->type.lanes == index_lanes || e->mask->type.lanes == e->type.lanes)))
    return "a load's mask does not fit";
  if (e->other && (!e->mask || e->other->type != e->type)) return "the value behind a load's mask does not fit";
  return nullptr;
}

const char* check_shuffle(Expr e) {
  int total = 0;
  for (Expr part : e->args) {
    if (part->type.dtype != e->type.dtype) return "a shuffle's vectors have other types";
    total += part->type.lanes;
  }
  if (static_cast<int>(e->lanes.size()) != e->type.lanes) return "a shuffle's lanes do not fit its type";
  for (int lane : e->lanes)
    if (lane < 0 || lane >= total) return "a shuffle's lane lies beyond its vectors";
  return nullptr;
}

const char* check_extract(Expr e) {
  const Expr vector = e->args[0];
  if (e->type != vector->type.scalar()) return "an extract's type is not that of the vector's lanes";
  if (e->args.size() == 2) return is_int(e->args[1]->type.dtype) && e->args[1]->type.lanes == 1 ? nullptr : "an extract's lane is not a whole number";
  return e->lane() >= 0 && e->lane() < vector->type.lanes ? nullptr : "an extract's lane lies beyond the vector";
}

const char* check_ramp(Expr e) {
  if (e->args.size() != 2) return "wrong number of operands";
  const bool fits = e->args[0]->type == e->type.scalar() && e->args[1]->type == e->type.scalar() && is_int(e->type.dtype) && e->type.lanes > 1;
  return fits ? nullptr : "a ramp's base or stride does not fit its type";
}

bool is_power_of_2(int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

const char* check_lane_xor(Expr e) {
  if (e->type != e->args[0]->type || is_bool(e)) return "operands of a function do not fit";
  return is_power_of_2(e->id_difference()) ? nullptr : "threads that exchange values differ in one bit of their ids";
}

const char* check_lane_read(Expr e) {
  if (e->type != e->args[0]->type || is_bool(e) || e->args[1]->type != kIndexType) return "operands of a function do not fit";
  return e->subgroup_size() > 1 && is_power_of_2(e->subgroup_size()) ? nullptr : "a subgroup's size is not a power of 2";
}

const char* check_dot4(Expr e) {
  const Type a = e->args[0]->type;
  const bool fits = a == e->args[1]->type && a.lanes == 4 && is_int(a.dtype) && size_bytes(a.dtype) == 1;
  return fits && e->type == Type{is_unsigned(a.dtype) ? DType::kU32 : DType::kI32, 1} ? nullptr : "operands of a packed product do not fit";
}

size_t operand_count(Expr e) {
  switch (e->kind) {
    case ExprKind::kConst:
    case ExprKind::kVar: return 0;
    case ExprKind::kNot:
    case ExprKind::kCast:
    case ExprKind::kBitcast:
    case ExprKind::kBroadcast: return 1;
    case ExprKind::kMad:
    case ExprKind::kSelect: return 3;
    case ExprKind::kCall:
      return e->intrinsic == Intrinsic::kPow || e->intrinsic == Intrinsic::kDot4 || e->intrinsic == Intrinsic::kLaneRead ? 2 : 1;
    case ExprKind::kExtract: return e->args.size() == 2 ? 2 : 1;
    case ExprKind::kLoad:
    case ExprKind::kShuffle: return e->args.size();
    default: return 2;
  }
}

const char* check(Expr e) {
  if (is_model_only(e->type.dtype)) return "a type that kernels do not have";
  if (e->args.size() != operand_count(e)) return "wrong number of operands";
  const Type first = e->args.empty() ? Type{} : e->args[0]->type;
  const bool all_equal = std::all_of(e->args.begin(), e->args.end(), [&](Expr a) { return a->type == first; });
  const bool like_operands = all_equal && e->type == first;
  switch (e->kind) {
    case ExprKind::kConst: return check_const(e);
    case ExprKind::kVar: return e->bound() < 0 ? "a variable's range is negative" : nullptr;
    case ExprKind::kCast: return e->type.lanes == first.lanes ? nullptr : "a cast changes the number of lanes";
    case ExprKind::kBitcast: return size_bytes(e->type.dtype) * e->type.lanes == size_bytes(first.dtype) * first.lanes ? nullptr : "a bitcast changes the size";
    case ExprKind::kAdd:
    case ExprKind::kSub:
    case ExprKind::kMul:
    case ExprKind::kDiv:
    case ExprKind::kMad:
    case ExprKind::kMin:
    case ExprKind::kMax: return like_operands && !is_bool(e) ? nullptr : "operands of an arithmetic operation do not fit";
    case ExprKind::kMod:
    case ExprKind::kBitAnd:
    case ExprKind::kBitOr:
    case ExprKind::kBitXor:
    case ExprKind::kShl:
    case ExprKind::kShr: return like_operands && is_int(first.dtype) ? nullptr : "operands of an integer operation do not fit";
    case ExprKind::kAnd:
    case ExprKind::kOr:
    case ExprKind::kNot: return like_operands && is_bool(e) ? nullptr : "operands of a logical operation are not bool";
    case ExprKind::kEq:
    case ExprKind::kLt:
    case ExprKind::kLe: return all_equal && e->type == kBoolType.with_lanes(first.lanes) ? nullptr : "operands of a comparison do not fit";
    case ExprKind::kSelect:
      return is_bool(e->args[0]) && e->args[1]->type == e->type && e->args[2]->type == e->type && (first.lanes == 1 || first.lanes == e->type.lanes)
                 ? nullptr : "operands of a select do not fit";
    case ExprKind::kBroadcast: return first == e->type.scalar() && e->type.lanes > 1 ? nullptr : "a broadcast's operand does not fit";
    case ExprKind::kRamp: return check_ramp(e);
    case ExprKind::kExtract: return check_extract(e);
    case ExprKind::kShuffle: return check_shuffle(e);
    case ExprKind::kLoad: return check_load(e);
    case ExprKind::kCall:
      if (e->intrinsic == Intrinsic::kLaneXor) return check_lane_xor(e);
      if (e->intrinsic == Intrinsic::kLaneRead) return check_lane_read(e);
      if (e->intrinsic == Intrinsic::kDot4) return check_dot4(e);
      return like_operands && e->intrinsic != Intrinsic::kNone && (is_float(first.dtype) || (e->intrinsic == Intrinsic::kAbs && is_int(first.dtype)))
                 ? nullptr : "operands of a function do not fit";
  }
  return "unknown kind";
}

}  // namespace

Status verify_types(Expr e) {
  std::string message;
  for_each_node(e, [&](Expr node) {
    const char* reason = message.empty() ? check(node) : nullptr;
    if (reason) message = cat(reason, ": ", print(node));
  });
  if (!message.empty()) return Error{ErrorCode::kInternal, message};
  return ok_status();
}

}  // namespace hone::ir
