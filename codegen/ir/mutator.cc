#include "codegen/ir/mutator.h"

namespace hone::ir {

Expr Mutator::mutate(Expr e) {
  if (!e || e->kind == ExprKind::kConst) return e ? expr(e) : nullptr;  // not worth remembering
  if (const Expr* known = memo_.find(e)) return *known;
  Expr out = expr(e);
  memo_.insert(e, out);
  return out;
}

Stmt Mutator::mutate(Stmt s) { return s ? stmt(s) : nullptr; }

template <class Node>
std::vector<Node> Mutator::changed(const std::vector<Node>& nodes) {
  std::vector<Node> out;
  for (size_t i = 0; i < nodes.size(); ++i) {
    Node node = mutate(nodes[i]);
    if (out.empty() && node != nodes[i]) out = nodes;
    if (!out.empty()) out[i] = node;
  }
  return out;
}

Expr Mutator::rebuild(Expr e) {
  if (e->args.empty() && !e->mask && !e->other) return e;
  std::vector<Expr> args = changed(e->args);
  Expr mask = mutate(e->mask), other = mutate(e->other);
  if (args.empty() && mask == e->mask && other == e->other) return e;
  return arena_.with_args(e, args.empty() ? e->args : std::move(args), mask, other);
}

Stmt Mutator::rebuild(Stmt s) {
  switch (s->kind) {
    case StmtKind::kBlock: {
      std::vector<Stmt> body = changed(s->body);
      return body.empty() ? s : arena_.block(std::move(body));
    }
    case StmtKind::kFor: {
      Stmt body = mutate(s->body[0]);
      return body == s->body[0] ? s : arena_.loop(s->var, s->extent, s->place, body);
    }
    case StmtKind::kIf: {
      Expr condition = mutate(s->value);
      Stmt then = mutate(s->body[0]), otherwise = s->body.size() > 1 ? mutate(s->body[1]) : nullptr;
      if (condition == s->value && then == s->body[0] && (s->body.size() < 2 || otherwise == s->body[1])) return s;
      return arena_.if_then(condition, then, otherwise);
    }
    case StmtKind::kLet: {
      Expr value = mutate(s->value);
      return value == s->value ? s : arena_.let(s->var, value);
    }
    case StmtKind::kAlloc:
    case StmtKind::kBarrier:
      return s;
    case StmtKind::kStore: {
      std::vector<Expr> indices = changed(s->indices);
      Expr value = mutate(s->value), mask = mutate(s->mask);
      if (indices.empty() && value == s->value && mask == s->mask) return s;
      if (indices.empty()) indices = s->indices;
      return arena_.store(s->buffer, std::move(indices), value, mask);
    }
  }
  return s;
}

namespace {
class Substitute final : public Mutator {
 public:
  Substitute(Arena& arena, const VarMap& map) : Mutator(arena), map_(map) {}

 protected:
  Expr expr(Expr e) override {
    if (e->kind != ExprKind::kVar) return rebuild(e);
    auto it = map_.find(e);
    return it == map_.end() ? e : it->second;
  }

 private:
  const VarMap& map_;
};
}  // namespace

Expr substitute(Arena& arena, Expr e, const VarMap& map) { return map.empty() ? e : Substitute(arena, map).mutate(e); }
Stmt substitute(Arena& arena, Stmt s, const VarMap& map) { return map.empty() ? s : Substitute(arena, map).mutate(s); }

namespace {
class Rename final : public Mutator {
 public:
  Rename(Arena& arena, const VarMap& map) : Mutator(arena), map_(map) {}

 protected:
  Stmt stmt(Stmt s) override {
    Stmt r = rebuild(s);
    bool defines = r->kind == StmtKind::kFor || r->kind == StmtKind::kLet;
    auto it = defines ? map_.find(r->var) : map_.end();
    if (it == map_.end()) return r;
    return r->kind == StmtKind::kFor ? arena_.loop(it->second, r->extent, r->place, r->body[0])
                                     : arena_.let(it->second, r->value);
  }

 private:
  const VarMap& map_;
};
}  // namespace

Stmt fresh_copy(Arena& arena, Stmt s, VarMap map) {
  VarMap defined;
  for_each_stmt(s, [&](Stmt b) {
    if (b->kind == StmtKind::kFor || b->kind == StmtKind::kLet)
      defined[b->var] = arena.var(b->var->name, b->var->type, b->var->bound());
  });
  map.insert(defined.begin(), defined.end());
  Stmt copy = substitute(arena, s, map);
  return defined.empty() ? copy : Rename(arena, defined).mutate(copy);
}

VarMap lets_of(Stmt s) {
  VarMap lets;
  for_each_stmt(s, [&](Stmt inside) {
    if (inside->kind == StmtKind::kLet) lets.emplace(inside->var, inside->value);
  });
  return lets;
}

void collect_vars(Expr e, VarSet& out) {
  for_each_node(e, [&](Expr n) {
    if (n->kind == ExprKind::kVar) out.insert(n);
  });
}

bool uses_var(Expr e, Var var) {
  bool found = false;
  for_each_node(e, [&](Expr n) { found |= n == var; });
  return found;
}

}  // namespace hone::ir
