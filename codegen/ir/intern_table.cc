#include "codegen/ir/intern_table.h"

#include <algorithm>
#include <cstring>

#include "base/hash.h"

namespace hone::ir {

namespace {

constexpr size_t kSlotsMin = 128;

uint64_t hash_head(ExprKind kind, Type type) {
  return static_cast<uint64_t>(kind) << 32 | static_cast<uint64_t>(type.dtype) << 16 |
         static_cast<uint64_t>(type.lanes);
}

uint64_t hash_arg(uint64_t h, Expr a) { return hash_mix(h, reinterpret_cast<uintptr_t>(a)); }

}  // namespace

size_t hash_node(const ExprNode& n) {
  uint64_t bits;
  std::memcpy(&bits, &n.fval, 8);
  const uint64_t numbers = static_cast<uint64_t>(n.ival) ^ static_cast<uint64_t>(n.parameter) ^ bits;
  uint64_t h = hash_mix(hash_head(n.kind, n.type), numbers ^ static_cast<uint64_t>(n.intrinsic) << 56);
  for (Expr a : n.args) h = hash_arg(h, a);
  for (int lane : n.lanes) h = hash_mix(h, static_cast<uint64_t>(lane));
  h = hash_mix(h, reinterpret_cast<uintptr_t>(n.buffer) ^ reinterpret_cast<uintptr_t>(n.mask) * 3 ^
                      reinterpret_cast<uintptr_t>(n.other) * 5);
  return static_cast<size_t>(h);
}

size_t hash_binary(ExprKind kind, Expr a, Expr b, Type type) {
  return static_cast<size_t>(hash_mix(hash_arg(hash_arg(hash_mix(hash_head(kind, type), 0), a), b), 0));
}

bool same_node(const ExprNode& a, const ExprNode& b) {
  return a.kind == b.kind && a.intrinsic == b.intrinsic && a.any_value == b.any_value && a.type == b.type &&
         a.ival == b.ival && a.parameter == b.parameter && std::memcmp(&a.fval, &b.fval, 8) == 0 && a.args == b.args &&
         a.lanes == b.lanes && a.buffer == b.buffer && a.mask == b.mask && a.other == b.other;
}

void InternTable::place(const Slot& slot) {
  const size_t last = slots_.size() - 1;
  size_t i = slot.hash & last;
  while (slots_[i].node) i = (i + 1) & last;
  slots_[i] = slot;
}

void InternTable::insert(size_t hash, Expr node) {
  if (2 * (count_ + 1) > slots_.size()) {
    std::vector<Slot> old(std::max(kSlotsMin, 2 * slots_.size()));
    old.swap(slots_);
    for (const Slot& known : old)
      if (known.node) place(known);
  }
  place({hash, node});
  ++count_;
}

}  // namespace hone::ir
