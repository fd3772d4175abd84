#include "codegen/arith/verify_bounds.h"

#include <algorithm>

#include "base/cat.h"
#include "codegen/arith/analyzer.h"
#include "codegen/ir/printer.h"

namespace hone::arith {
namespace {

using ir::ExprKind;
using ir::Stmt;
using ir::StmtKind;

class BoundsVerifier {
 public:
  explicit BoundsVerifier(ir::Arena& arena) : arena_(arena), analyzer_(arena) {}

  // is_certain: every thread with the variables' values comes here.
  void stmt(Stmt s, bool is_certain) {
    if (!s || !error_.empty()) return;
    if (s->kind != StmtKind::kBlock) statement_ = s;
    for (Expr index : s->indices) expr(index, is_certain);
    expr(s->value, is_certain);
    expr(s->mask, is_certain);
    if (s->kind == StmtKind::kStore)
      access(s->buffer, s->indices, is_certain && !s->mask);
    if (s->kind == StmtKind::kLet && s->var->type == ir::kIndexType) lets_[s->var] = through_lets(s->value);
    if (s->kind == StmtKind::kFor && s->extent == 0) return;
    for (Stmt child : s->body) stmt(child, is_certain && s->kind != StmtKind::kIf);
  }

  const std::string& error() const { return error_; }

 private:
  void fail(const std::string& message) {
    if (!error_.empty()) return;
    error_ = cat(message, ", at: ", headline(statement_));
  }

  Expr through_lets(Expr e) { return lets_.empty() ? e : substitute(arena_, e, lets_); }

  void expr(Expr e, bool is_certain) {
    ir::for_each_node(e, [&](Expr node) {
      if (node->kind == ExprKind::kLoad)
        access(node->buffer, node->args, is_certain && !node->mask && !node->any_value);
      if (node->type != ir::kIndexType || node->kind == ExprKind::kVar) return;
      const Interval interval = analyzer_.bounds(through_lets(node));
      if (interval.bounded() && !interval.within(INT32_MIN, INT32_MAX))
        fail(cat("the index ", print(node), " reaches ", interval.lo, " to ", interval.hi, ", beyond 32 bits"));
    });
  }

  // The interval of every lane.
  Interval bounds(Expr index, bool* is_exact) {
    if (index->kind == ExprKind::kBroadcast) return bounds(index->args[0], is_exact);
    if (index->kind == ExprKind::kRamp) {
      bool stride_exact = true;
      Interval base = bounds(index->args[0], is_exact);
      const Interval stride = bounds(index->args[1], &stride_exact);
      if (!stride_exact || stride.lo != stride.hi) *is_exact = false;
      const int64_t reach = stride.lo * (index->type.lanes - 1);
      return {base.lo + std::min<int64_t>(reach, 0), base.hi + std::max<int64_t>(reach, 0)};
    }
    const Expr whole = analyzer_.simplify(through_lets(index));
    const Affine affine = to_affine(whole);
    *is_exact = index->type.lanes == 1 && std::all_of(affine.terms.begin(), affine.terms.end(), [](const Term& t) {
                  return t.atom->kind == ExprKind::kVar && t.atom->bound() > 0;
                });
    return analyzer_.bounds(whole);
  }

  void access(ir::Buffer buffer, const std::vector<Expr>& indices, bool is_certain) {
    if (!is_certain || indices.size() != buffer->shape.size()) return;
    for (size_t d = 0; d < indices.size(); ++d) {
      bool is_exact = false;
      const Interval interval = bounds(indices[d], &is_exact);
      if (is_exact && !interval.within(0, buffer->shape[d] - 1))
        fail(cat("an index of ", buffer->name, " reaches ", interval.lo, " to ", interval.hi, " in a dimension of ",
                 buffer->shape[d]));
    }
  }

  ir::Arena& arena_;
  Analyzer analyzer_;
  ir::VarMap lets_;
  Stmt statement_ = nullptr;
  std::string error_;
};

}  // namespace

Status verify_bounds(const ir::Kernel& kernel) {
  BoundsVerifier verifier(*kernel.arena);
  for (const ir::Launch& launch : kernel.launches) verifier.stmt(launch.body, true);
  if (!verifier.error().empty()) return Error{ErrorCode::kInternal, verifier.error()};
  return ok_status();
}

}  // namespace hone::arith
