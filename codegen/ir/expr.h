// Expressions: immutable nodes interned in an Arena, so equality is a comparison of pointers. A Var or Buffer is its identity; its
// name is for printing. Nodes live as long as their arena. Meanings of the kinds: docs/ir.md.
#pragma once
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "codegen/ir/layout.h"
#include "codegen/ir/type.h"

namespace hone::ir {

enum class ExprKind : uint8_t {
#define EXPR(kind, text) k##kind,
#include "codegen/ir/nodes.def"
};

enum class Intrinsic : uint8_t {
  kNone,
  kExp,
  kLog,
  kSqrt,
  kRsqrt,
  kTanh,
  kErf,
  kSin,
  kCos,
  kPow,
  kFloor,
  kCeil,
  kRound,
  kAbs,
  kTrunc,
  kDot4,     // of vectors of four numbers of 8 bits: the sum of their products, of 32
  kLaneXor,  // not of values alone: what the thread has whose linear id differs in the bit `id_difference`
  kLaneRead  // nor this: what the thread has that is args[1]th of the threads of its subgroup
};

// Where a buffer lives. kArg: given by the caller (inputs, outputs). kScratch: global temporary of the kernel. kWorkgroup: shared by a
// workgroup. kRegister: private to a thread.
enum class Scope : uint8_t { kArg, kScratch, kWorkgroup, kRegister };

struct BufferNode {
  uint32_t id = 0;   // unique within the arena
  std::string name;  // unique within a kernel
  DType dtype = DType::kF32;
  Shape shape;  // logical extents before flatten_storage; afterwards one extent, in elements of `lanes` scalars; of a texture its layers,
                // height and width
  Scope scope = Scope::kArg;
  Layout layout;  // logical → physical; applied by flatten_storage
  int lanes = 1;  // scalars per element of the declared array (plan_vectors); an access index counts elements
};
using Buffer = const BufferNode*;

struct ExprNode;
using Expr = const ExprNode*;
using Var = Expr;  // an Expr whose kind is kVar

struct ExprNode {
  ExprKind kind = ExprKind::kConst;
  Intrinsic intrinsic = Intrinsic::kNone;  // kCall
  bool any_value =
      false;  // kLoad: may lie out of bounds where the target's reads are safe; the value is then discarded
  Type type;
  uint32_t id = 0;  // creation order within the arena (children have smaller ids)
  int64_t ival = 0;  // kConst of int, bool and index: the value
  // Of some kinds: a number that is no operand. Read it by its name below; as it stands it is for the arena, and for what compares nodes.
  int64_t parameter = 0;
  double fval = 0;  // kConst of float types
  std::vector<Expr>
      args;  // operands. kRamp: {base, stride}. kLoad: indices (logical, then one flat index). kShuffle: {vectors…}
  std::vector<int> lanes;   // kShuffle: chosen lanes of the concatenated arguments
  Buffer buffer = nullptr;  // kLoad
  Expr mask = nullptr;      // kLoad: null = always; false: no access, the value is `other`
  Expr other = nullptr;     // kLoad: null = zero
  std::string name;         // kVar

  // kVar of index: its range is [0, bound); 0: unknown.
  int64_t bound() const { return parameter_of(kind == ExprKind::kVar); }
  // kExtract: which lane; -1: args[1] says.
  int lane() const { return static_cast<int>(parameter_of(kind == ExprKind::kExtract)); }
  // kLaneXor: what the ids of the two threads differ by, a power of 2.
  int64_t id_difference() const { return parameter_of(intrinsic == Intrinsic::kLaneXor); }
  // kLaneRead: threads of a subgroup, a power of 2.
  int64_t subgroup_size() const { return parameter_of(intrinsic == Intrinsic::kLaneRead); }

 private:
  int64_t parameter_of(bool has_it) const {
    CHECK(has_it, "a node was asked for a number that its kind does not have");
    return parameter;
  }
};

// Does the node take what another thread has? Then all threads have to come there.
inline bool is_exchange(Expr e) {
  return e->kind == ExprKind::kCall && (e->intrinsic == Intrinsic::kLaneXor || e->intrinsic == Intrinsic::kLaneRead);
}

std::string_view kind_name(ExprKind kind);
std::string_view intrinsic_name(Intrinsic intrinsic);
bool parse_intrinsic(std::string_view name, Intrinsic* out);

inline bool is_const(Expr e) { return e->kind == ExprKind::kConst; }
// A constant that is no NaN, in all lanes.
inline bool is_number(Expr e) {
  while (e->kind == ExprKind::kBroadcast) e = e->args[0];
  return is_const(e) && !(is_float(e->type.dtype) && std::isnan(e->fval));
}
inline bool is_const_int(Expr e, int64_t v) { return is_const(e) && !is_float(e->type.dtype) && e->ival == v; }
inline bool is_true(Expr e) { return is_const(e) && e->type.dtype == DType::kBool && e->ival != 0; }
inline bool is_false(Expr e) { return is_const(e) && e->type.dtype == DType::kBool && e->ival == 0; }

}  // namespace hone::ir
