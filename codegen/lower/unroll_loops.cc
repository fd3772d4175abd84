#include "base/cat.h"
#include "codegen/arith/analyzer.h"
#include "codegen/lower/passes.h"

namespace hone::lower {

using ir::Stmt;
using ir::StmtKind;

namespace {

int64_t unrolled_size(Stmt s) {
  int64_t body = 0;
  for (Stmt b : s->body) body += unrolled_size(b);
  if (s->kind == StmtKind::kFor && s->place == ir::Place::kUnroll) return body * s->extent;
  return body + (s->kind == StmtKind::kBlock ? 0 : 1);
}

class Unroll final : public ir::Mutator {
 public:
  explicit Unroll(ir::Arena& arena) : Mutator(arena), analyzer_(arena) {}

 protected:
  // Outermost first: an outer variable that has become a literal lets inner conditions fold before their loops are copied.
  Stmt stmt(Stmt s) override {
    if (s->kind == StmtKind::kBlock) return merge_ifs(rebuild(s));
    if (s->kind != StmtKind::kFor || s->place != ir::Place::kUnroll) return rebuild(s);
    std::vector<Stmt> copies;
    for (int64_t i = 0; i < s->extent; i++) copies.push_back(mutate(copy(s->body[0], s->var, i)));
    return merge_ifs(arena_.block(std::move(copies)));
  }

 private:
  Stmt copy(Stmt body, ir::Var var, int64_t i) {
    ir::VarMap map{{var, arena_.index(i)}};
    ir::for_each_stmt(body, [&](Stmt b) {
      if (b->kind == StmtKind::kLet) map[b->var] = arena_.var(b->var->name, b->var->type);
    });
    Stmt renamed = analyzer_.simplify(ir::substitute(arena_, body, map));
    return map.size() == 1 ? renamed : rename_lets(renamed, map);
  }
  Stmt rename_lets(Stmt s, const ir::VarMap& map) {
    class Rename final : public ir::Mutator {
     public:
      Rename(ir::Arena& arena, const ir::VarMap& map) : Mutator(arena), map_(map) {}
      Stmt stmt(Stmt s) override {
        Stmt r = rebuild(s);
        auto it = r->kind == StmtKind::kLet ? map_.find(r->var) : map_.end();
        return it == map_.end() ? r : arena_.let(it->second, r->value);
      }

     private:
      const ir::VarMap& map_;
    };
    return Rename(arena_, map).mutate(s);
  }
  // Neighbouring Ifs on one condition become one.
  Stmt merge_ifs(Stmt block) {
    if (block->kind != StmtKind::kBlock) return block;
    std::vector<Stmt> out;
    bool merged = false;
    for (Stmt s : block->body) {
      Stmt last = out.empty() ? nullptr : out.back();
      if (last && s->kind == StmtKind::kIf && last->kind == StmtKind::kIf && s->value == last->value && s->body.size() == 1 && last->body.size() == 1) {
        out.back() = arena_.if_then(s->value, arena_.block({last->body[0], s->body[0]}));
        merged = true;
      } else {
        out.push_back(s);
      }
    }
    return merged ? arena_.block(std::move(out)) : block;
  }
  arith::Analyzer analyzer_;
};

}  // namespace

Result<ir::Kernel> unroll_loops(const ir::Kernel& kernel, const target::Target& target) {
  ir::Kernel out = kernel;
  for (ir::Launch& launch : out.launches) {
    int64_t size = unrolled_size(launch.body);
    if (size > target.limits.unrolled_nodes_max)
      return Error{ErrorCode::kLimitExceeded, cat("the kernel has ", size, " statements when unrolled; the code budget is ", target.limits.unrolled_nodes_max, "; unroll less")};
    launch.body = Unroll(*kernel.arena).mutate(launch.body);
  }
  return out;
}

}  // namespace hone::lower
