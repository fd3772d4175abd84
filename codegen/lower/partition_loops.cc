#include "codegen/arith/analyzer.h"
#include "codegen/lower/passes.h"

namespace hone::lower {

using ir::Expr;
using ir::Stmt;
using ir::StmtKind;
using ir::Var;

namespace {

class Partition final : public ir::Mutator {
 public:
  explicit Partition(ir::Arena& arena) : Mutator(arena), analyzer_(arena) {}

 protected:
  Stmt stmt(Stmt s) override {
    Stmt r = rebuild(s);
    if (r->kind != StmtKind::kFor || r->place != ir::Place::kSerial || r->extent < 2) return r;
    std::vector<Expr> conditions;
    ir::for_each_stmt(r->body[0], [&](Stmt b) {
      if (b->kind == StmtKind::kIf && ir::uses_var(b->value, r->var)) conditions.push_back(b->value);
    });
    if (conditions.empty()) return r;
    int64_t safe = first_unproved(conditions, r->var, r->extent);
    if (safe == 0 || safe == r->extent) return r;
    return arena_.block({range(r, 0, safe), range(r, safe, r->extent)});
  }

 private:
  // The largest n such that every condition holds for iterations [0, n). Conditions fail from some iteration on: bisection finds it.
  int64_t first_unproved(const std::vector<Expr>& conditions, Var var, int64_t extent) {
    int64_t low = 0, high = extent;
    while (low < high) {
      int64_t middle = (low + high + 1) / 2;
      if (holds_below(conditions, var, middle)) low = middle;
      else high = middle - 1;
    }
    return low;
  }
  bool holds_below(const std::vector<Expr>& conditions, Var var, int64_t n) {
    Var narrow = arena_.var(var->name, ir::kIndexType, n);
    for (Expr c : conditions)
      if (!analyzer_.prove(ir::substitute(arena_, c, {{var, narrow}}))) return false;
    return true;
  }
  Stmt range(Stmt loop, int64_t begin, int64_t end) {
    Var var = arena_.var(loop->var->name, ir::kIndexType, end - begin);
    Expr value = arena_.add(var, arena_.index(begin));
    Stmt body = analyzer_.simplify(ir::fresh_copy(arena_, loop->body[0], {{loop->var, value}}));
    return end - begin == 1 ? body : arena_.loop(var, end - begin, loop->place, body);
  }
  arith::Analyzer analyzer_;
};

}  // namespace

Result<ir::Kernel> partition_loops(const ir::Kernel& kernel) {
  ir::Kernel out = kernel;
  for (ir::Launch& launch : out.launches) launch.body = Partition(*kernel.arena).mutate(launch.body);
  return out;
}

}  // namespace hone::lower
