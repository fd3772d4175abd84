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
  if (s->kind == StmtKind::kFor && ir::is_straight(s->place)) return body * s->extent;
  return body + (s->kind == StmtKind::kBlock ? 0 : 1);
}

class Unroll final : public ir::Mutator {
 public:
  explicit Unroll(ir::Arena& arena) : Mutator(arena), analyzer_(arena) {}

 protected:
  // Outermost first: an outer variable that has become a literal lets inner conditions fold before their loops are copied.
  Stmt stmt(Stmt s) override {
    if (s->kind == StmtKind::kBlock) return merge_ifs(rebuild(s));
    if (s->kind != StmtKind::kFor || !ir::is_straight(s->place)) return rebuild(s);
    std::vector<Stmt> copies;
    for (int64_t i = 0; i < s->extent; i++) copies.push_back(mutate(copy(s->body[0], s->var, i)));
    return merge_ifs(arena_.block(std::move(copies)));
  }

 private:
  Stmt copy(Stmt body, ir::Var var, int64_t i) {
    return analyzer_.simplify(ir::fresh_copy(arena_, body, {{var, arena_.index(i)}}));
  }
  // Neighbouring Ifs on one condition become one.
  Stmt merge_ifs(Stmt block) {
    if (block->kind != StmtKind::kBlock) return block;
    std::vector<Stmt> out;
    bool merged = false;
    for (Stmt s : block->body) {
      Stmt last = out.empty() ? nullptr : out.back();
      if (last && s->kind == StmtKind::kIf && last->kind == StmtKind::kIf && s->value == last->value &&
          s->body.size() == 1 && last->body.size() == 1) {
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
      return Error{ErrorCode::kLimitExceeded,
                   cat("the kernel has ", size, " statements when unrolled; the code budget is ",
                       target.limits.unrolled_nodes_max, "; unroll less")};
    launch.body = Unroll(*kernel.arena).mutate(launch.body);
  }
  return out;
}

}  // namespace hone::lower
