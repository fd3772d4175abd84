#include <map>
#include <unordered_map>

#include "base/cat.h"
#include "codegen/ir/mutator.h"
#include "codegen/lower/passes.h"

namespace hone::lower {

using ir::Buffer;
using ir::Expr;
using ir::ExprKind;
using ir::Stmt;
using ir::StmtKind;

namespace {

bool is_register(Buffer b) { return b && b->scope == ir::Scope::kRegister; }

// Calls load(e) for every load that statement s itself makes (not those of nested statements).
template <class Visit>
void own_loads(Stmt s, const Visit& visit) {
  auto load = [&](Expr e) {
    if (e->kind == ExprKind::kLoad) visit(e);
  };
  ir::NodeSet seen;
  for (Expr i : s->indices) ir::for_each_node(i, seen, load);
  ir::for_each_node(s->value, seen, load);
  ir::for_each_node(s->mask, seen, load);
}

// Arrays that are only indexed by literals become one variable per element.
class SplitArrays final : public ir::Mutator {
 public:
  SplitArrays(ir::Arena& arena, Stmt body) : Mutator(arena) {
    auto access = [&](Buffer b, Expr index) {
      if (is_register(b) && !(is_const(index))) dynamic_.insert(b);
    };
    ir::for_each_stmt(body, [&](Stmt s) {
      own_loads(s, [&](Expr e) { access(e->buffer, e->args[0]); });
      if (s->kind == StmtKind::kStore) access(s->buffer, s->indices[0]);
    });
  }

 protected:
  Expr expr(Expr e) override {
    Expr r = rebuild(e);
    if (r->kind != ExprKind::kLoad || !splits(r->buffer)) return r;
    return arena_.load(element(r->buffer, r->args[0]->ival), {arena_.index(0)});
  }
  Stmt stmt(Stmt s) override {
    Stmt r = rebuild(s);
    if (r->kind == StmtKind::kStore && splits(r->buffer))
      return arena_.store(element(r->buffer, r->indices[0]->ival), {arena_.index(0)}, r->value, r->mask);
    if (r->kind == StmtKind::kAlloc && splits(r->buffer)) {
      std::vector<Stmt> allocs;
      for (int64_t i = 0; i < r->buffer->shape[0]; i++) allocs.push_back(arena_.alloc(element(r->buffer, i)));
      return arena_.block(std::move(allocs));
    }
    return r;
  }

 private:
  bool splits(Buffer b) const { return is_register(b) && !dynamic_.count(b) && b->shape[0] > 1; }
  Buffer element(Buffer b, int64_t i) {
    auto [it, fresh] = elements_.try_emplace({b, i}, nullptr);
    if (fresh) it->second = arena_.buffer(cat(b->name, "_", i), b->dtype, {1}, b->scope, {}, b->lanes);
    return it->second;
  }
  std::unordered_set<Buffer> dynamic_;
  std::map<std::pair<Buffer, int64_t>, Buffer> elements_;
};

// Variables all of whose accesses stand in one block, the first being a store, become Lets, one per store.
class ToLets final : public ir::Mutator {
 public:
  ToLets(ir::Arena& arena, Stmt body) : Mutator(arena) { scan(body); }

 protected:
  Expr expr(Expr e) override {
    Expr r = rebuild(e);
    if (r->kind != ExprKind::kLoad) return r;
    auto it = current_.find(r->buffer);
    return it == current_.end() ? r : it->second;
  }
  Stmt stmt(Stmt s) override {
    if (s->kind == StmtKind::kAlloc && local(s->buffer)) return arena_.block({});
    if (s->kind != StmtKind::kStore || !local(s->buffer)) {
      Stmt r = rebuild(s);
      forget();
      return r;
    }
    Expr value = mutate(s->value);
    ir::Var var = arena_.var(s->buffer->name, value->type);
    current_[s->buffer] = var;
    forget();
    return arena_.let(var, value);
  }

 private:
  struct Accesses {
    Stmt block = nullptr;
    bool one_block = true;
    bool store_first = false;
  };
  bool local(Buffer b) const {
    auto it = accesses_.find(b);
    return it != accesses_.end() && it->second.one_block && it->second.store_first;
  }
  void note(Buffer b, Stmt block, bool store) {
    if (!is_register(b) || b->shape[0] != 1) return;
    auto [it, fresh] = accesses_.try_emplace(b, Accesses{block, true, store});
    if (!fresh && it->second.block != block) it->second.one_block = false;
  }
  void scan(Stmt block) {
    if (block->kind != StmtKind::kBlock) return scan_statement(block, block);
    for (Stmt s : block->body) scan_statement(s, block);
  }
  void scan_statement(Stmt s, Stmt block) {
    own_loads(s, [&](Expr e) { note(e->buffer, block, false); });
    if (s->kind == StmtKind::kStore) {
      note(s->buffer, block, true);
      if (s->mask && is_register(s->buffer)) accesses_[s->buffer].one_block = false;
    }
    for (Stmt b : s->body) scan(b);
  }
  std::unordered_map<Buffer, Accesses> accesses_;
  std::unordered_map<Buffer, ir::Var> current_;
};

}  // namespace

Result<ir::Kernel> registerize(const ir::Kernel& kernel) {
  ir::Kernel out = kernel;
  for (ir::Launch& launch : out.launches) {
    launch.body = SplitArrays(*kernel.arena, launch.body).mutate(launch.body);
    launch.body = ToLets(*kernel.arena, launch.body).mutate(launch.body);
  }
  return out;
}

}  // namespace hone::lower
