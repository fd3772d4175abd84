#include "base/cat.h"
#include "codegen/te/expr_text.h"

namespace hone::te {
namespace {

std::string axis_names(const std::vector<Axis>& axes) {
  std::string out;
  for (size_t i = 0; i < axes.size(); i++) out += cat(i ? ", " : "", axes[i].name);
  return out;
}
std::string axis_ranges(const std::vector<Axis>& axes) {
  std::string out;
  for (size_t i = 0; i < axes.size(); i++) out += cat(i ? ", " : "", axes[i].name, " < ", axes[i].extent);
  return out;
}

// "sum" and its like, where the combiner is one of them; else "fold".
std::string_view fold_name(const Combiner& c) {
  if (c.combine.size() != 1 || c.combine[0]->args.size() != 2) return "fold";
  switch (c.combine[0]->kind) {
    case ir::ExprKind::kAdd: return "sum";
    case ir::ExprKind::kMul: return "product";
    case ir::ExprKind::kMax: return "max";
    case ir::ExprKind::kMin: return "min";
    default: return "fold";
  }
}

std::string print_compute(const Compute& c) {
  const ExprNames names{[](Var v) { return v->name; }, [](Tensor t) { return t->name; }};
  std::string left, right;
  for (Tensor t : c.outputs) left += cat(left.empty() ? "" : ", ", t->name, "[", axis_names(c.axes), "]");
  for (Expr e : c.value) right += cat(right.empty() ? "" : ", ", expr_text(e, names));
  if (c.value.size() > 1) right = cat("(", right, ")");
  if (c.reduce) right = cat(fold_name(c.reduce->combiner), "[", axis_names(c.reduce->axes), "] ", right);
  for (size_t i = 0; i < c.finish.size(); i++) right += cat(i ? ", " : " then ", expr_text(c.finish[i], names));
  std::string where = axis_ranges(c.axes);
  if (c.reduce && !c.reduce->axes.empty()) where += cat("; ", axis_ranges(c.reduce->axes));
  return cat(left, " = ", right, where.empty() ? "" : cat("  for ", where), "\n");
}

std::string declare(const char* what, const std::vector<Tensor>& tensors) {
  std::string out;
  for (Tensor t : tensors) {
    out += cat(what, " ", t->name, ": ", ir::dtype_name(t->dtype), "[");
    for (size_t i = 0; i < t->shape.size(); i++) out += cat(i ? ", " : "", t->shape[i]);
    out += "]\n";
  }
  return out;
}

}  // namespace

std::string print_te(const Program& program) {
  std::string out = declare("input", program.inputs);
  for (const Compute& c : program.computes) out += print_compute(c);
  return out + declare("output", program.outputs);
}

}  // namespace hone::te
