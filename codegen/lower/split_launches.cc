#include <optional>

#include "base/cat.h"
#include "codegen/arith/analyzer.h"
#include "codegen/lower/passes.h"

namespace hone::lower {

using ir::Expr;
using ir::Place;
using ir::Stmt;
using ir::StmtKind;

namespace {

class Split final : public ir::Mutator {
 public:
  Split(ir::Arena& arena, ir::Launch& launch) : Mutator(arena), launch_(launch) {}

  Status run() {
    int64_t linear = 0;
    bool explicit_threads = false;
    ir::for_each_stmt(launch_.body, [&](Stmt s) {
      if (s->kind != StmtKind::kFor) return;
      int d = ir::place_dimension(s->place);
      if (ir::is_block(s->place)) launch_.grid[d] = std::max(launch_.grid[d], s->extent);
      else if (s->place == Place::kThread) linear = std::max(linear, s->extent);
      else if (ir::is_thread(s->place)) {
        launch_.threads[d] = std::max(launch_.threads[d], s->extent);
        explicit_threads = true;
      }
    });
    if (!explicit_threads && linear > 0) launch_.threads[0] = linear;
    int64_t total = launch_.threads[0] * launch_.threads[1] * launch_.threads[2];
    if (linear > total)
      return Error{ErrorCode::kLimitExceeded, cat("a copy is bound to ", linear, " threads but the workgroup has ",
                                                  total, "; split it by the workgroup's size")};
    static const char* const block_names[] = {"bx", "by", "bz"};
    static const char* const thread_names[] = {"tx", "ty", "tz"};
    for (int d = 0; d < 3; d++) {
      if (launch_.grid[d] > 1) launch_.block_vars[d] = arena_.var(block_names[d], ir::kIndexType, launch_.grid[d]);
      if (launch_.threads[d] > 1)
        launch_.thread_vars[d] = arena_.var(thread_names[d], ir::kIndexType, launch_.threads[d]);
    }
    if (linear > 0 && total > 1) launch_.thread_linear = arena_.var("tid", ir::kIndexType, total);
    total_ = total;
    launch_.body = arith::Analyzer(arena_).simplify(mutate(launch_.body));
    return failed_ ? Status(*failed_) : ok_status();
  }

 protected:
  Expr expr(Expr e) override {
    if (e->kind != ir::ExprKind::kVar) return rebuild(e);
    auto bound = values_.find(e);
    return bound == values_.end() ? e : bound->second;
  }
  Stmt stmt(Stmt s) override {
    if (s->kind != StmtKind::kFor || !(ir::is_block(s->place) || ir::is_thread(s->place))) return rebuild(s);
    bool block = ir::is_block(s->place), linear = s->place == Place::kThread;
    int64_t available = linear ? total_ : (block ? launch_.grid : launch_.threads)[ir::place_dimension(s->place)];
    ir::Var var = linear ? launch_.thread_linear
                         : (block ? launch_.block_vars : launch_.thread_vars)[ir::place_dimension(s->place)];
    Expr value = var ? var : arena_.index(0);
    values_[s->var] = value;
    Stmt body = mutate(s->body[0]);
    if (s->extent == available) return body;
    bool barrier = false;
    ir::for_each_stmt(body, [&](Stmt b) { barrier |= b->kind == StmtKind::kBarrier; });
    if (barrier)
      failed_ = Error{ErrorCode::kIllegalSchedule, cat("loop ", s->var->name, " uses ", s->extent, " of ", available,
                                                       " threads around a barrier; bind equal extents")};
    return arena_.if_then(arena_.lt(value, arena_.index(s->extent)), body);
  }

 private:
  ir::Launch& launch_;
  int64_t total_ = 1;
  ir::VarMap values_;  // of the loops that the launch has become
  std::optional<Error> failed_;
};

}  // namespace

Result<ir::Kernel> split_launches(const ir::Kernel& kernel) {
  ir::Kernel out = kernel;
  for (ir::Launch& launch : out.launches) HONE_TRY(Split(*kernel.arena, launch).run());
  return out;
}

}  // namespace hone::lower
