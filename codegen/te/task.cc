#include "codegen/te/task.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/cat.h"
#include "codegen/te/expr_text.h"

namespace hone::te {

double Accuracy::tolerance() const {
  return base + per_sqrt_k * std::sqrt(static_cast<double>(std::max<int64_t>(reduction_length, 1)));
}

namespace {

// Numbers tensors and variables in the order in which the program declares them, so that names play no part.
class Canonical {
 public:
  explicit Canonical(const Task& task) : task_(task) {}
  std::string text();

 private:
  std::string tensor_line(Tensor t);
  std::string axis_line(const char* kind, const Axis& axis);
  std::string compute_text(const Compute& c);
  std::string expr(Expr e) { return expr_text(e, names_); }

  const Task& task_;
  std::unordered_map<Tensor, size_t> tensors_;
  std::unordered_map<Var, std::string> vars_;
  ExprNames names_{[this](Var v) {
                     auto [it, added] = vars_.try_emplace(v);
                     if (added) it->second = cat("v", vars_.size() - 1, ":", ir::type_name(v->type));
                     return it->second;
                   },
                   [this](Tensor t) { return cat("t", tensors_.try_emplace(t, tensors_.size()).first->second); }, true};
};

std::string Canonical::tensor_line(Tensor t) {
  std::string out = cat(names_.tensor(t), " ", ir::dtype_name(t->dtype), " (");
  for (size_t i = 0; i < t->shape.size(); i++) out += cat(i ? "," : "", t->shape[i]);
  return out + ")";
}

std::string Canonical::axis_line(const char* kind, const Axis& axis) {
  vars_[axis.var] = cat("x", vars_.size());
  return cat(kind, " ", vars_[axis.var], " ", axis.extent, "\n");
}

std::string Canonical::compute_text(const Compute& c) {
  std::string out = "compute";
  for (Tensor t : c.outputs) out += cat(" ", tensor_line(t));
  out += "\n";
  for (const Axis& a : c.axes) out += axis_line("axis", a);
  if (c.reduce) {
    for (const Axis& a : c.reduce->axes) out += axis_line("reduce", a);
    const Combiner& k = c.reduce->combiner;
    for (size_t i = 0; i < k.combine.size(); i++)
      out += cat("fold ", expr(k.acc[i]), " ", expr(k.val[i]), " ", expr(k.identity[i]), " ",
                 k.reassociable ? "any" : "order", "\n");
    for (Expr e : k.combine) out += cat("combine ", expr(e), "\n");
  }
  for (Expr e : c.value) out += cat("value ", expr(e), "\n");
  for (Expr e : c.finish) out += cat("finish ", expr(e), "\n");
  return out;
}

// Constants are free anyway. The word `lanes` says nothing: records know a task by the hash of this text.
std::string role_text(const Arg& arg) {
  static const char* const kNames[] = {"activation", "constant", "output"};
  const ir::Layout& l = arg.layout;
  return cat(kNames[static_cast<int>(arg.role)], " ", ir::layout_text(l), " lanes 1 pad ",
             static_cast<int>(l.pad), " medium ", static_cast<int>(l.medium), arg.free && arg.role != Role::kConstant ? " free" : "", "\n");
}

std::string Canonical::text() {
  const Program& p = task_.program;
  CHECK(task_.args.size() == p.inputs.size() + p.outputs.size(), "a task needs one Arg per input and output");
  std::string out = "te 1\n";
  for (Tensor t : p.inputs) out += cat("input ", tensor_line(t), "\n");
  for (const Compute& c : p.computes) out += compute_text(c);
  for (Tensor t : p.outputs) out += cat("output ", names_.tensor(t), "\n");
  for (const Arg& a : task_.args) out += role_text(a);
  const Accuracy usual, &owed = task_.accuracy;
  if (owed.base != usual.base || owed.per_sqrt_k != usual.per_sqrt_k)
    out += cat("error ", owed.base, " ", owed.per_sqrt_k, "\n");
  return out;
}

double points(const std::vector<Axis>& axes) {
  double out = 1;
  for (const Axis& a : axes) out *= static_cast<double>(a.extent);
  return out;
}

// Arithmetic operations of the definition: per point of a reduction its combination and the multiplications of the value (2 for a
// multiply-accumulate), per element of a Map its float operations.
class Operations {
 public:
  // Of the expression, written out as often as its parts are read.
  double of(Expr e) {
    const auto [found, is_new] = known_.try_emplace(e, 0);
    if (!is_new) return found->second;
    const double out = count(e);
    return known_[e] = out;
  }

 private:
  double count(Expr e) {
    if (!ir::is_float(e->type.dtype) && e->kind != ir::ExprKind::kSelect) return 0;
    double out = own(e->kind);
    for (Expr a : e->args) out += of(a);
    return out;
  }
  static double own(ir::ExprKind kind) {
    using ir::ExprKind;
    switch (kind) {
      case ExprKind::kAdd: case ExprKind::kSub: case ExprKind::kMul: case ExprKind::kDiv: case ExprKind::kMod:
      case ExprKind::kMin: case ExprKind::kMax: case ExprKind::kCall:
        return 1;
      case ExprKind::kMad: return 2;
      default: return 0;
    }
  }
  std::unordered_map<Expr, double> known_;
};

double operations(Expr e) { return Operations().of(e); }

double compute_flops(const Compute& c) {
  double inner = 0, outer = 0;
  for (Expr e : c.value) inner += operations(e);
  for (Expr e : c.finish) outer += operations(e);
  if (!c.reduce) return points(c.axes) * inner;
  for (Expr e : c.reduce->combiner.combine) inner += operations(e);
  return points(c.axes) * (points(c.reduce->axes) * inner + outer);
}

}  // namespace

std::string canonical_text(const Task& task) { return Canonical(task).text(); }

void finish_task(Task& task) {
  task.flops = 0;
  task.accuracy.reduction_length = 1;
  for (const Compute& c : task.program.computes) {
    task.flops += compute_flops(c);
    if (c.reduce)
      task.accuracy.reduction_length =
          std::max(task.accuracy.reduction_length, static_cast<int64_t>(points(c.reduce->axes)));
  }
  task.id = hash_bytes(canonical_text(task));
}

void loosen(Task& task, double tolerance) {
  task.accuracy.base = std::max(task.accuracy.base, tolerance);
  task.id = hash_bytes(canonical_text(task));
}

}  // namespace hone::te
