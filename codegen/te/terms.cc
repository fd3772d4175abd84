#include "codegen/te/terms.h"

#include <algorithm>

#include "codegen/ir/mutator.h"
#include "codegen/te/interval.h"

namespace hone::te {
namespace {

using ir::ExprKind;

// The condition and the values of select(condition, value, identity), the same condition in each component.
struct Selected {
  Expr condition = nullptr;
  std::vector<Expr> value;
};

std::optional<Selected> selected(const Compute& c) {
  if (!c.reduce) return std::nullopt;
  Selected out;
  for (size_t i = 0; i < c.value.size(); i++) {
    const Expr e = c.value[i];
    if (e->kind != ExprKind::kSelect || e->args[2] != c.reduce->combiner.identity[i]) return std::nullopt;
    if (out.condition && e->args[0] != out.condition) return std::nullopt;
    out.condition = e->args[0];
    out.value.push_back(e->args[1]);
  }
  return out;
}

void add_conditions(Expr e, std::vector<Expr>& all) {
  if (e->kind != ExprKind::kAnd) return all.push_back(e);
  for (Expr part : e->args) add_conditions(part, all);
}

// The axis that the expression is, under another type perhaps, which tells all its elements and its extent apart; null: none.
const Axis* axis_of(const std::vector<Axis>& axes, Expr e) {
  double most = device_range(e->type.dtype).high;
  for (; e->kind == ExprKind::kCast && ir::is_int(e->type.dtype); e = e->args[0]) most = std::min(most, device_range(e->type.dtype).high);
  const auto axis = std::find_if(axes.begin(), axes.end(), [&](const Axis& a) { return a.var == e; });
  return axis != axes.end() && static_cast<double>(axis->extent) <= most ? &*axis : nullptr;
}

bool is_free_of(Expr e, const std::vector<Var>& vars) {
  return !e || std::none_of(vars.begin(), vars.end(), [&](Var v) { return ir::uses_var(e, v); });
}

Expr joined(ir::Arena& arena, const std::vector<Expr>& conditions) {
  Expr all = nullptr;
  for (Expr e : conditions) all = all ? arena.logical_and(all, e) : e;
  return all;
}

// axis == place, either way round.
std::optional<std::pair<Var, Expr>> place_of(const Compute& c, Expr e) {
  if (e->kind != ExprKind::kEq || !ir::is_int(e->args[0]->type.dtype)) return std::nullopt;
  for (size_t side : {size_t{0}, size_t{1}}) {
    const Axis* axis = axis_of(c.axes, e->args[side]);
    const Expr place = e->args[1 - side];
    if (axis && !ir::uses_var(place, axis->var)) return std::pair(axis->var, place);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Scattered> scattered_terms(const Compute& c, ir::Arena& arena) {
  std::optional<Selected> terms = selected(c);
  if (!terms) return std::nullopt;
  Scattered out;
  std::vector<Expr> conditions, rest;
  std::vector<Var> axes;
  add_conditions(terms->condition, conditions);
  for (Expr e : conditions) {
    const auto to = place_of(c, e);
    const bool is_new = to && std::find(axes.begin(), axes.end(), to->first) == axes.end();
    if (!is_new) {
      rest.push_back(e);
      continue;
    }
    out.to.push_back(*to);
    axes.push_back(to->first);
  }
  out.counts = joined(arena, rest);
  out.value = std::move(terms->value);
  bool is_free = !axes.empty() && is_free_of(out.counts, axes);
  for (const auto& [axis, place] : out.to) is_free = is_free && is_free_of(place, axes);
  for (Expr e : out.value) is_free = is_free && is_free_of(e, axes);
  return is_free ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<Scan> scanned_terms(const Compute& c, ir::Arena& arena) {
  std::optional<Selected> terms = selected(c);
  if (!terms || c.reduce->axes.size() != 1) return std::nullopt;
  const Axis& step = c.reduce->axes[0];
  Scan out{.step = step.var};
  std::vector<Expr> conditions, rest;
  add_conditions(terms->condition, conditions);
  for (Expr e : conditions) {
    const bool compares = e->kind == ExprKind::kLe || e->kind == ExprKind::kLt;
    const auto axis = std::find_if(c.axes.begin(), c.axes.end(), [&](const Axis& a) { return compares && e->args[0] == step.var && e->args[1] == a.var && a.extent == step.extent; });
    if (out.axis || axis == c.axes.end()) {
      rest.push_back(e);
      continue;
    }
    out.axis = axis->var;
    out.exclusive = e->kind == ExprKind::kLt;
  }
  if (!out.axis) return std::nullopt;
  out.counts = joined(arena, rest);
  out.value = std::move(terms->value);
  bool is_free = is_free_of(out.counts, {out.axis});
  for (Expr e : out.value) is_free = is_free && is_free_of(e, {out.axis});
  return is_free ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace hone::te
