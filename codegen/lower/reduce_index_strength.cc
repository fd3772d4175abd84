#include <algorithm>

#include "base/cat.h"
#include "codegen/arith/analyzer.h"
#include "codegen/lower/passes.h"

namespace hone::lower {

using arith::Affine;
using ir::Expr;
using ir::ExprKind;
using ir::Stmt;
using ir::StmtKind;
using ir::Var;

namespace {

constexpr int kNever = 1 << 20;  // depends on a value of the block itself: cannot move to its head

class Hoist final : public ir::Mutator {
 public:
  explicit Hoist(ir::Arena& arena) : Mutator(arena), analyzer_(arena) { scopes_.emplace_back(); }

  Stmt run(Stmt body) {
    Stmt rest = mutate(body);
    return with_lets(rest);
  }

 protected:
  Expr expr(Expr e) override {
    if (e->kind == ExprKind::kLoad) {
      std::vector<Expr> index;
      for (Expr i : e->args) index.push_back(address(i));
      Expr mask = e->mask ? condition(e->mask) : nullptr;
      return arena_.load(e->buffer, std::move(index), mask, mutate(e->other), e->any_value);
    }
    if (e->type == ir::kIndexType && e->kind != ExprKind::kConst && e->kind != ExprKind::kVar) return address(e);
    return rebuild(e);
  }

  Stmt stmt(Stmt s) override {
    switch (s->kind) {
      case StmtKind::kFor: {
        scopes_.emplace_back();
        depth_[s->var] = static_cast<int>(scopes_.size()) - 1;
        forget();
        Stmt body = with_lets(mutate(s->body[0]));
        scopes_.pop_back();
        forget();
        return arena_.loop(s->var, s->extent, s->place, body);
      }
      case StmtKind::kIf:
        return arena_.if_then(condition(s->value), mutate(s->body[0]),
                              s->body.size() > 1 ? mutate(s->body[1]) : nullptr);
      case StmtKind::kLet: {
        Expr value = mutate(s->value);
        depth_[s->var] = kNever;
        return arena_.let(s->var, value);
      }
      case StmtKind::kStore: {
        Expr value = mutate(s->value);
        std::vector<Expr> index;
        for (Expr i : s->indices) index.push_back(address(i));
        return arena_.store(s->buffer, std::move(index), value, s->mask ? condition(s->mask) : nullptr);
      }
      case StmtKind::kBlock:
      case StmtKind::kAlloc:
      case StmtKind::kBarrier:
        return rebuild(s);
    }
    return s;
  }

 private:
  struct Scope {
    std::vector<Stmt> lets;
    std::unordered_map<Expr, Var> bound;
  };

  int level() const { return static_cast<int>(scopes_.size()) - 1; }

  Stmt with_lets(Stmt body) {
    std::vector<Stmt> all = scopes_.back().lets;
    all.push_back(body);
    return arena_.block(std::move(all));
  }

  int depth(Expr e) {
    int d = 0;
    ir::for_each_node(e, [&](Expr n) {
      if (n->kind == ExprKind::kLoad) d = kNever;
      if (n->kind != ExprKind::kVar) return;
      auto it = depth_.find(n);
      if (it != depth_.end()) d = std::max(d, it->second);
    });
    return d;
  }

  Expr bind(Expr e, int d) {
    if (d > level() || is_const(e) || e->kind == ExprKind::kVar) return e;
    Scope& scope = scopes_[d];
    auto it = scope.bound.find(e);
    if (it != scope.bound.end()) return it->second;
    const Expr whole = ir::substitute(arena_, e, negative_);
    const arith::Interval range = e->type == ir::kIndexType ? analyzer_.bounds(whole) : arith::Interval{};
    const Var var = arena_.var(cat(e->type == ir::kIndexType ? "i" : "p", count_++), e->type,
                         range.lo >= 0 && range.bounded() ? range.hi + 1 : 0);
    if (e->type == ir::kIndexType && var->bound() == 0) negative_[var] = whole;
    depth_[var] = d;
    scope.bound[e] = var;
    scope.lets.push_back(arena_.let(var, e));
    return var;
  }

  // base + literal: the base is summed level by level, each partial sum bound where its last variable is known.
  Expr address(Expr e) {
    if (e->type.lanes != 1) return rebuild(e);
    Affine affine = arith::to_affine(e);
    struct Part {
      int depth;
      Expr atom;
      int64_t coefficient;
    };
    std::vector<Part> parts;
    for (const arith::Term& t : affine.terms) {
      int d = depth(t.atom);
      parts.push_back({d, atom(t.atom, d), t.coefficient});
    }
    std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.depth < b.depth; });
    Expr sum = nullptr;
    for (size_t i = 0; i < parts.size();) {
      int d = parts[i].depth;
      Affine here;
      if (sum) here.add(sum, 1);
      for (; i < parts.size() && parts[i].depth == d; i++) here.add(parts[i].atom, parts[i].coefficient);
      sum = bind(arith::from_affine(arena_, here), d);
    }
    if (!sum) return arena_.index(affine.constant);
    if (affine.constant < 0) return arena_.sub(sum, arena_.index(-affine.constant));
    return arena_.add(sum, arena_.index(affine.constant));
  }

  // A variable, or a quotient, remainder, … with its operands hoisted first.
  Expr atom(Expr e, int d) {
    if (e->kind == ExprKind::kVar) return e;
    if (e->kind == ExprKind::kLoad) return mutate(e);
    std::vector<Expr> args;
    for (Expr a : e->args)
      args.push_back(a->type == ir::kIndexType           ? address(a)
                     : a->type.dtype == ir::DType::kBool ? condition(a)
                                                         : mutate(a));
    return bind(arena_.with_args(e, std::move(args), nullptr, nullptr), d);
  }

  Expr condition(Expr e) {
    if (e->kind == ExprKind::kAnd || e->kind == ExprKind::kOr || e->kind == ExprKind::kNot) {
      std::vector<Expr> args;
      for (Expr a : e->args) args.push_back(condition(a));
      return bind(arena_.with_args(e, std::move(args), nullptr, nullptr), depth(e));
    }
    bool on_index = (e->kind == ExprKind::kLt || e->kind == ExprKind::kLe || e->kind == ExprKind::kEq) &&
                    e->args[0]->type == ir::kIndexType;
    if (!on_index) return mutate(e);
    return bind(arena_.with_args(e, {address(e->args[0]), address(e->args[1])}, nullptr, nullptr), depth(e));
  }

  arith::Analyzer analyzer_;
  std::vector<Scope> scopes_;
  std::unordered_map<Var, int> depth_;  // loop nesting of the definition; block and thread variables (absent) 0
  ir::VarMap negative_;  // indices that may be below 0, which no variable's range says: what they stand for
  int count_ = 0;
};

}  // namespace

Result<ir::Kernel> reduce_index_strength(const ir::Kernel& kernel) {
  ir::Kernel out = kernel;
  for (ir::Launch& launch : out.launches) launch.body = Hoist(*kernel.arena).run(launch.body);
  return out;
}

}  // namespace hone::lower
