#include <algorithm>
#include <unordered_set>

#include "base/cat.h"
#include "codegen/arith/analyzer.h"
#include "codegen/te/expr_text.h"

namespace hone::te {
namespace {

using arith::Affine;
using ir::ExprKind;

std::string plain_text(Expr e) {
  return expr_text(e, {[](Var v) { return v->name; }, [](Tensor t) { return t->name; }});
}

// Proves the loads of one compute. A fact is an affine form that is known to be ≥ 0 where the current arm is taken.
class LoadVerifier {
 public:
  LoadVerifier(ir::Arena& arena, const Compute& compute, const std::unordered_set<Tensor>& written)
      : arena_(arena), analyzer_(arena), compute_(compute), written_(written) {}

  Status visit(Expr e);

 private:
  Status visit_load(Expr e);
  Status visit_under(Expr condition, bool holds, Expr e);
  void assume(Expr condition, bool holds);
  void assume_not_negative(Expr a, Expr b, int64_t offset);  // b − a + offset ≥ 0
  bool not_negative(const Affine& a);

  ir::Arena& arena_;
  arith::Analyzer analyzer_;
  const Compute& compute_;
  const std::unordered_set<Tensor>& written_;
  std::vector<Affine> facts_;
};

void LoadVerifier::assume_not_negative(Expr a, Expr b, int64_t offset) {
  if (a->type != ir::kIndexType) return;
  Affine fact = arith::to_affine(analyzer_.simplify(b));
  fact.add(arith::to_affine(analyzer_.simplify(a)), -1);
  fact.constant += offset;
  facts_.push_back(std::move(fact));
}

void LoadVerifier::assume(Expr c, bool holds) {
  switch (c->kind) {
    case ExprKind::kNot: assume(c->args[0], !holds); break;
    case ExprKind::kAnd:
    case ExprKind::kOr:
      if ((c->kind == ExprKind::kAnd) == holds)
        for (Expr a : c->args) assume(a, holds);
      break;
    case ExprKind::kLe:  // a ≤ b, else b ≤ a − 1
      holds ? assume_not_negative(c->args[0], c->args[1], 0) : assume_not_negative(c->args[1], c->args[0], -1);
      break;
    case ExprKind::kLt:
      holds ? assume_not_negative(c->args[0], c->args[1], -1) : assume_not_negative(c->args[1], c->args[0], 0);
      break;
    case ExprKind::kEq:
      if (holds) {
        assume_not_negative(c->args[0], c->args[1], 0);
        assume_not_negative(c->args[1], c->args[0], 0);
      }
      break;
    default: break;
  }
}

bool LoadVerifier::not_negative(const Affine& a) {
  if (analyzer_.bounds(arith::from_affine(arena_, a)).lo >= 0) return true;
  return std::any_of(facts_.begin(), facts_.end(), [&](const Affine& fact) {
    Affine rest = a;
    rest.add(fact, -1);
    return analyzer_.bounds(arith::from_affine(arena_, rest)).lo >= 0;
  });
}

Status LoadVerifier::visit_under(Expr condition, bool holds, Expr e) {
  const size_t before = facts_.size();
  assume(condition, holds);
  const Status status = visit(e);
  facts_.resize(before);
  return status;
}

Status LoadVerifier::visit_load(Expr e) {
  const Tensor t = e->buffer;
  if (!written_.count(t))
    return Error{ErrorCode::kInvalidArgument, cat("compute ", compute_.name, " reads ", t->name, ", which is neither an input nor written before")};
  if (e->args.size() != t->shape.size())
    return Error{ErrorCode::kInvalidArgument, cat("compute ", compute_.name, " reads ", t->name, " with ", e->args.size(), " indices; it has ",
                                                  t->shape.size(), " dimensions")};
  const size_t before = facts_.size();
  if (e->mask) assume(e->mask, true);
  Status status = ok_status();
  for (size_t d = 0; d < e->args.size() && status.ok() && !e->any_value; d++) {
    const Affine low = arith::to_affine(analyzer_.simplify(e->args[d]));
    Affine high;
    high.add(low, -1);
    high.constant += t->shape[d] - 1;
    if (!not_negative(low) || !not_negative(high))
      status = Error{ErrorCode::kInvalidArgument, cat("compute ", compute_.name, " reads ", plain_text(e), ", and index ", plain_text(e->args[d]),
                                                      " is not proved to lie in [0, ", t->shape[d],
                                                      "); put the load into the arm of a select whose condition proves it")};
  }
  facts_.resize(before);
  return status;
}

Status LoadVerifier::visit(Expr e) {
  if (!e) return ok_status();
  if (e->kind == ExprKind::kSelect) {
    HONE_TRY(visit(e->args[0]));
    HONE_TRY(visit_under(e->args[0], true, e->args[1]));
    return visit_under(e->args[0], false, e->args[2]);
  }
  for (Expr a : e->args) HONE_TRY(visit(a));
  if (e->kind != ExprKind::kLoad) return ok_status();
  HONE_TRY(visit(e->mask));
  HONE_TRY(visit(e->other));
  return visit_load(e);
}

Error malformed(const Compute& c, std::string what) { return {ErrorCode::kInvalidArgument, cat("compute ", c.name, " ", std::move(what))}; }

Status verify_counts(const Compute& c) {
  const size_t made = c.finish.empty() ? c.value.size() : c.finish.size();
  if (c.value.empty() || c.outputs.empty() || made != c.outputs.size())
    return malformed(c, cat("has ", c.outputs.size(), " outputs and ", made, " results"));
  if (!c.reduce) return c.finish.empty() ? ok_status() : malformed(c, "has finish expressions but no reduction");
  const Combiner& k = c.reduce->combiner;
  if (k.acc.size() != c.value.size() || k.val.size() != c.value.size() || k.identity.size() != c.value.size() ||
      k.combine.size() != c.value.size())
    return malformed(c, "has a combiner whose parts differ in length from the value");
  for (size_t i = 0; i < c.value.size(); i++)
    if (c.value[i]->type != k.acc[i]->type || k.combine[i]->type != k.acc[i]->type || k.identity[i]->type != k.acc[i]->type)
      return malformed(c, cat("has a combiner whose component ", i, " changes its type"));
  return ok_status();
}

Status verify_outputs(const Compute& c, std::unordered_set<Tensor>& written) {
  for (size_t i = 0; i < c.outputs.size(); i++) {
    const Tensor t = c.outputs[i];
    const Expr result = c.finish.empty() ? c.value[i] : c.finish[i];
    if (result->type != ir::Type{t->dtype, 1}) return malformed(c, cat("gives ", t->name, " a value of type ", ir::type_name(result->type)));
    if (t->shape.size() != c.axes.size()) return malformed(c, cat("writes ", t->name, " of another rank than its axes"));
    for (size_t d = 0; d < c.axes.size(); d++)
      if (t->shape[d] != c.axes[d].extent) return malformed(c, cat("writes ", t->name, " of another shape than its axes"));
    if (!written.insert(t).second) return malformed(c, cat("writes ", t->name, ", which is written already"));
  }
  return ok_status();
}

// Variables that occur must be axes of the compute (or, in finish, its accumulators).
Status verify_vars(const Compute& c) {
  ir::VarSet allowed;
  for (const Axis& a : c.axes) allowed.insert(a.var);
  const auto check = [&](const std::vector<Expr>& exprs, const char* where) -> Status {
    ir::VarSet used;
    for (Expr e : exprs) ir::collect_vars(e, used);
    for (Var v : used)
      if (!allowed.count(v)) return malformed(c, cat("uses ", v->name, " in its ", where, ", which is no axis of it"));
    return ok_status();
  };
  if (c.reduce) {
    for (Var v : c.reduce->combiner.acc) allowed.insert(v);
    HONE_TRY(check(c.finish, "finish"));
    for (Var v : c.reduce->combiner.acc) allowed.erase(v);
    for (const Axis& a : c.reduce->axes) allowed.insert(a.var);
  }
  return check(c.value, "value");
}

bool empty(const std::vector<Axis>& axes) {
  return std::any_of(axes.begin(), axes.end(), [](const Axis& a) { return a.extent == 0; });
}

Status verify_axes(const Compute& c) {
  std::unordered_set<std::string> names;
  std::vector<Axis> all = c.axes;
  if (c.reduce) all.insert(all.end(), c.reduce->axes.begin(), c.reduce->axes.end());
  for (const Axis& a : all) {
    if (a.extent < 0) return malformed(c, cat("has axis ", a.name, " of negative extent"));
    if (!names.insert(a.name).second) return malformed(c, cat("has two axes called ", a.name));
  }
  return ok_status();
}

}  // namespace

Status verify_te(const Program& program) {
  CHECK(program.arena != nullptr, "a program without an arena");
  ir::Arena scratch(program.arena.get());
  std::unordered_set<Tensor> written(program.inputs.begin(), program.inputs.end());
  std::unordered_set<std::string> names;
  for (Tensor t : program.inputs) names.insert(t->name);
  for (const Compute& c : program.computes) {
    if (!names.insert(c.name).second) return malformed(c, "has a name that is taken");
    HONE_TRY(verify_counts(c));
    HONE_TRY(verify_axes(c));
    HONE_TRY(verify_vars(c));
    LoadVerifier loads(scratch, c, written);
    if (!empty(c.axes)) {
      if (!c.reduce || !empty(c.reduce->axes))
        for (Expr e : c.value) HONE_TRY(loads.visit(e));
      for (Expr e : c.finish) HONE_TRY(loads.visit(e));
    }
    HONE_TRY(verify_outputs(c, written));
  }
  for (Tensor t : program.outputs)
    if (!written.count(t)) return Error{ErrorCode::kInvalidArgument, cat("output ", t->name, " is never written")};
  return ok_status();
}

}  // namespace hone::te
