// NodeMap, NodeSet: what a walk remembers of nodes. Open addressing with linear probing in one piece of memory: most walks see few nodes, and
// there are many walks. Entries stay until `clear`.
#pragma once
#include <cstdint>
#include <vector>

#include "codegen/ir/expr.h"

namespace hone::ir {

template <class Value>
class NodeMap {
 public:
  // Null: absent. Valid until the next insert.
  const Value* find(Expr key) const {
    if (slots_.empty()) return nullptr;
    const Slot& slot = slots_[place(key)];
    return slot.key ? &slot.value : nullptr;
  }
  // False: the key is there already and keeps its value.
  bool insert(Expr key, Value value) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    Slot& slot = slots_[place(key)];
    if (slot.key) return false;
    slot = {key, value};
    ++count_;
    return true;
  }
  void clear() {
    slots_.clear();
    count_ = 0;
  }

 private:
  struct Slot {
    Expr key = nullptr;
    Value value{};
  };
  static constexpr size_t kSlotsMin = 32;  // a power of 2, like all sizes

  // Where the key is, or would be.
  size_t place(Expr key) const {
    const size_t last = slots_.size() - 1;
    uint64_t mixed = reinterpret_cast<uintptr_t>(key) * 0x9e3779b97f4a7c15u;
    for (size_t i = static_cast<size_t>(mixed >> 32) & last;; i = (i + 1) & last)
      if (!slots_[i].key || slots_[i].key == key) return i;
  }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? kSlotsMin : 2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.key) slots_[place(slot.key)] = slot;
  }

  std::vector<Slot> slots_;
  size_t count_ = 0;
};

class NodeSet {
 public:
  bool insert(Expr e) { return nodes_.insert(e, {}); }  // false: it is there already
  void clear() { nodes_.clear(); }

 private:
  struct Nothing {};
  NodeMap<Nothing> nodes_;
};

}  // namespace hone::ir
