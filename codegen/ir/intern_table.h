// InternTable: the nodes of an arena by what they are, so that each is made once. Open addressing with linear probing, at most half full.
#pragma once
#include <vector>

#include "codegen/ir/expr.h"

namespace hone::ir {

size_t hash_node(const ExprNode& node);  // of all but id and name
size_t hash_binary(ExprKind kind, Expr a, Expr b,
                   Type type);  // as hash_node of a node that has these two operands and nothing else
bool same_node(const ExprNode& a, const ExprNode& b);

class InternTable {
 public:
  // The node of this hash for which is_same(node) holds, or null.
  template <class IsSame>
  Expr find(size_t hash, const IsSame& is_same) const {
    if (slots_.empty()) return nullptr;
    const size_t last = slots_.size() - 1;
    for (size_t i = hash & last; slots_[i].node; i = (i + 1) & last)
      if (slots_[i].hash == hash && is_same(*slots_[i].node)) return slots_[i].node;
    return nullptr;
  }
  void insert(size_t hash, Expr node);  // one that is not there

 private:
  struct Slot {
    size_t hash = 0;
    Expr node = nullptr;
  };
  void place(const Slot& slot);

  std::vector<Slot> slots_;  // a power of 2
  size_t count_ = 0;
};

}  // namespace hone::ir
