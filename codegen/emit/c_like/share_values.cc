#include "codegen/emit/c_like/share_values.h"

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

bool is_global(ir::Buffer b) { return b->scope == ir::Scope::kArg || b->scope == ir::Scope::kScratch; }

class Share final : public ir::Mutator {
 public:
  explicit Share(ir::Arena& arena) : Mutator(arena) {}

 protected:
  Stmt stmt(Stmt s) override {
    if (s->kind != StmtKind::kStore && s->kind != StmtKind::kLet) return rebuild(s);
    uses_.clear();
    sizes_.clear();
    named_.clear();
    count(s->value);
    std::vector<Stmt> block;
    std::swap(block, lets_);
    const Expr value = named(s->value, true);
    std::swap(block, lets_);
    block.push_back(s->kind == StmtKind::kLet ? arena_.let(s->var, value) : arena_.store(s->buffer, s->indices, value, s->mask));
    return block.size() == 1 ? block[0] : arena_.block(std::move(block));
  }

 private:
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
    return !index && uses_[e] > 1 && sizes_[e] > kSmall && e->kind != ExprKind::kBroadcast && e->kind != ExprKind::kVar;
  }

  Expr named(Expr e, bool whole = false) {
    auto it = named_.find(e);
    if (it != named_.end()) return it->second;
    std::vector<Expr> args;
    for (Expr a : e->args) args.push_back(named(a));
    Expr out = args.empty() ? e : arena_.with_args(e, std::move(args), e->mask ? named(e->mask) : nullptr, e->other ? named(e->other) : nullptr);
    if (!whole && deserves_name(e)) {
      const ir::Var var = arena_.var(cat("t", count_++), out->type);
      lets_.push_back(arena_.let(var, out));
      out = var;
    }
    return named_[e] = out;
  }

  std::unordered_map<Expr, int> uses_, sizes_;
  std::unordered_map<Expr, Expr> named_;
  std::vector<Stmt> lets_;
  int count_ = 0;
};

}  // namespace

Stmt share_values(ir::Arena& arena, Stmt body) { return Share(arena).mutate(body); }

}  // namespace hone::emit
