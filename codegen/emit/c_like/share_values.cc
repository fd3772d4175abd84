#include "codegen/emit/c_like/passes.h"

#include <algorithm>
#include <unordered_map>

#include "base/cat.h"
#include "codegen/ir/mutator.h"

namespace hone::emit {

using ir::Expr;
using ir::ExprKind;
using ir::Stmt;
using ir::StmtKind;

namespace {

constexpr int kSmall = 4;  // nodes that are as good twice as a name

// A launch reads no texture that it writes.
bool is_texel(Expr e) { return e->kind == ExprKind::kLoad && e->buffer->shape.size() == 3 && !e->mask; }

bool is_global(ir::Buffer b) { return b->scope == ir::Scope::kArg || b->scope == ir::Scope::kScratch; }

class Share final : public ir::Mutator {
 public:
  explicit Share(ir::Arena& arena) : Mutator(arena) {}

 protected:
  Stmt stmt(Stmt s) override {
    if (s->kind != StmtKind::kStore && s->kind != StmtKind::kLet) return scope(s);
    uses_.clear();
    sizes_.clear();
    named_ = texels_;
    count(s->value);
    std::vector<Stmt> block;
    std::swap(block, lets_);
    const Expr value = named(s->value, true);
    std::swap(block, lets_);
    block.push_back(s->kind == StmtKind::kLet ? arena_.let(s->var, value)
                                              : arena_.store(s->buffer, s->indices, value, s->mask));
    return block.size() == 1 ? block[0] : arena_.block(std::move(block));
  }

 private:
  // A name is known to the end of the block, loop or branch.
  Stmt scope(Stmt s) {
    const std::unordered_map<Expr, Expr> texels_around = texels_;
    const std::unordered_map<Expr, int> readers_around = readers_;
    if (s->kind == StmtKind::kBlock) count_readers(s);
    Stmt out = rebuild(s);
    texels_ = texels_around;
    readers_ = readers_around;
    return out;
  }

  void count_readers(Stmt block) {
    for (Stmt s : block->body) {
      if (s->kind == StmtKind::kBlock) count_readers(s);
      if (s->kind != StmtKind::kStore && s->kind != StmtKind::kLet) continue;
      ir::NodeSet seen;
      ir::for_each_node(s->value, seen, [&](Expr e) {
        if (is_texel(e)) readers_[e]++;
      });
    }
  }

  void count(Expr e) {
    if (uses_[e]++ > 0) return;
    int size = 1;
    bool reads = false;
    for (Expr a : e->args) {
      count(a);
      size += sizes_[a];
    }
    for (Expr a : {e->mask, e->other})
      if (a) count(a), size += sizes_[a];
    reads = e->kind == ExprKind::kLoad && is_global(e->buffer);
    sizes_[e] = std::min(reads ? kSmall + 1 : size, 1000);
  }

  bool deserves_name(Expr e) {
    const bool index = e->type.dtype == ir::DType::kIndex;  // shared by reduce_index_strength, as far as that pays
    const bool shared = uses_[e] > 1 || (is_texel(e) && readers_[e] > 1);
    return !index && shared && sizes_[e] > kSmall && e->kind != ExprKind::kBroadcast && e->kind != ExprKind::kVar;
  }

  Expr named(Expr e, bool whole = false) {
    auto it = named_.find(e);
    if (it != named_.end()) return it->second;
    std::vector<Expr> args;
    for (Expr a : e->args) args.push_back(named(a));
    Expr out = args.empty() ? e
                            : arena_.with_args(e, std::move(args), e->mask ? named(e->mask) : nullptr,
                                               e->other ? named(e->other) : nullptr);
    if ((!whole || is_texel(e)) && deserves_name(e)) {
      const ir::Var var = arena_.var(cat("t", count_++), out->type);
      lets_.push_back(arena_.let(var, out));
      out = var;
      if (is_texel(e)) texels_[e] = var;
    }
    return named_[e] = out;
  }

  std::unordered_map<Expr, int> uses_, sizes_;
  std::unordered_map<Expr, Expr> named_;
  std::unordered_map<Expr, Expr> texels_;  // of the blocks around: named before
  std::unordered_map<Expr, int> readers_;  // texels of the blocks around: statements that read them
  std::vector<Stmt> lets_;
  int count_ = 0;
};

}  // namespace

Stmt share_values(ir::Arena& arena, Stmt body) { return Share(arena).mutate(body); }

}  // namespace hone::emit
