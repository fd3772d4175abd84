// Arena: owns and interns expressions, owns statements and buffers. One thread at a time; a frozen parent may be shared for reading.
// The factories check types (a mismatch is our bug: CHECK) and fold constants and neutral elements of integers, index and bool;
// of floats only constants. Deeper simplification is arith/.
#pragma once
#include <array>
#include <deque>
#include <vector>

#include "codegen/ir/expr.h"
#include "codegen/ir/intern_table.h"
#include "codegen/ir/stmt.h"

namespace hone::ir {

// Nodes that stay where they are.
template <class Node>
class Pool {
 public:
  const Node* add(Node node) {
    if (chunks_.empty() || chunks_.back().size() == kChunk) {
      chunks_.emplace_back();
      chunks_.back().reserve(kChunk);
    }
    chunks_.back().push_back(std::move(node));
    return &chunks_.back().back();
  }
  size_t size() const { return chunks_.empty() ? 0 : (chunks_.size() - 1) * kChunk + chunks_.back().size(); }

 private:
  static constexpr size_t kChunk = 64;
  std::vector<std::vector<Node>> chunks_;
};

class Arena {
 public:
  explicit Arena(const Arena* parent = nullptr);
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // A new variable. For type index: its range is [0, bound) when bound > 0.
  Var var(std::string name, Type type = kIndexType, int64_t bound = 0);
  Buffer buffer(std::string name, DType dtype, Shape shape, Scope scope = Scope::kArg, Layout layout = {},
                int lanes = 1);

  Expr index(int64_t value);
  Expr boolean(bool value);
  Expr constant(Type type, double value);  // any type; lanes > 1 gives a Broadcast
  Expr integer(DType dtype, int64_t value);

  Expr add(Expr a, Expr b);
  Expr sub(Expr a, Expr b);
  Expr mul(Expr a, Expr b);
  Expr div(Expr a, Expr b);          // integers: floor; by zero 0
  Expr mod(Expr a, Expr b);          // integers: the divisor's sign; by zero 0
  Expr mad(Expr a, Expr b, Expr c);  // a*b+c with one or two roundings
  Expr min(Expr a, Expr b);
  Expr max(Expr a, Expr b);
  Expr eq(Expr a, Expr b);
  Expr lt(Expr a, Expr b);
  Expr le(Expr a, Expr b);
  Expr logical_and(Expr a, Expr b);
  Expr logical_or(Expr a, Expr b);
  Expr logical_not(Expr a);
  Expr bit(ExprKind kind, Expr a, Expr b);  // kBitAnd kBitOr kBitXor kShl kShr
  Expr select(Expr condition, Expr yes, Expr no);
  Expr cast(Type type, Expr a);
  Expr bitcast(Type type, Expr a);
  Expr broadcast(Expr a, int lanes);
  Expr ramp(Expr base, Expr stride, int lanes);
  Expr extract(Expr vector, int lane);
  Expr extract_dynamic(Expr vector, Expr lane);  // kExtract with args {vector, lane}
  Expr shuffle(std::vector<Expr> vectors, std::vector<int> lanes);
  Expr concat(std::vector<Expr> scalars);  // a vector of equal-typed scalars (a kShuffle)
  // Type of the value: buffer's dtype with the lanes of the last index (a Ramp/Broadcast gives a vector), times buffer lanes once flat.
  Expr load(Buffer buffer, std::vector<Expr> indices, Expr mask = nullptr, Expr other = nullptr, bool any_value = false,
            int lanes = 0);
  Expr call(Intrinsic intrinsic, std::vector<Expr> args);
  Expr lane_xor(Expr value, int64_t difference);
  Expr lane_read(Expr value, Expr lane, int64_t subgroup);
  Expr dot4(Type type, Expr a, Expr b);
  // The same node with other children (used by mutators); folds like the factories.
  Expr with_args(Expr e, std::vector<Expr> args, Expr mask, Expr other);

  Stmt block(std::vector<Stmt> body);  // flattens nested blocks
  Stmt loop(Var var, int64_t extent, Place place, Stmt body);
  Stmt if_then(Expr condition, Stmt then, Stmt otherwise = nullptr);
  Stmt let(Var var, Expr value);  // visible in the rest of the enclosing block
  Stmt alloc(Buffer buffer);      // visible in the rest of the enclosing block; contents undefined
  Stmt store(Buffer buffer, std::vector<Expr> indices, Expr value, Expr mask = nullptr);
  Stmt barrier();

 private:
  Expr intern(ExprNode node);
  Expr intern_new(size_t hash, ExprNode node);
  Expr binary(ExprKind kind, Expr a, Expr b, Type type);
  // The node of this hash that is the same, or null.
  template <class IsSame>
  Expr find(size_t hash, const IsSame& is_same) const;

  const Arena* parent_;
  uint32_t next_id_;
  Pool<ExprNode> exprs_;
  std::deque<BufferNode> buffers_;
  Pool<StmtNode> stmts_;
  InternTable interned_;  // without variables
  static constexpr int64_t kSmall = 65;
  std::array<Expr, kSmall> small_{};  // of type index, by value; null: not asked for yet
};

}  // namespace hone::ir
