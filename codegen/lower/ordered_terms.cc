// Reductions that take their terms in order: scatters and scans (te/terms.h).
#include <algorithm>

#include "base/cat.h"
#include "codegen/lower/loop_builder.h"
#include "codegen/te/terms.h"

namespace hone::lower {

// What the step `scatter`, or `scan`, found in the stage's values. Others may have been inlined into them since.
template <class Terms>
bool LoopBuilder::has_terms(const Stage& stage, const std::optional<Terms>& terms) {
  if (!terms) status_ = Error{ErrorCode::kIllegalSchedule, cat("the terms of stage '", stage.name, "' do not find their elements any more; inline later")};
  return terms.has_value();
}

Stmt LoopBuilder::scan_leaf(Stage& stage) {
  const auto terms = te::scanned_terms(stage.compute, a_);
  if (!has_terms(stage, terms)) return a_.block({});
  const te::Combiner& combiner = stage.compute.reduce->combiner;
  ir::VarMap map;
  for (size_t i = 0; i < combiner.acc.size(); i++) {
    map[combiner.acc[i]] = accumulator(stage, i);
    map[combiner.val[i]] = values_.read(stage, terms->value[i]);
  }
  const Stmt join = only_if(stage, counts(stage, terms->counts), a_.block(combined(stage, map)));
  const Stmt put = store_outputs(stage, finish_values(stage));
  return a_.block(stage.scan == schedule::ScanForm::kInclusive ? std::vector<Stmt>{join, put} : std::vector<Stmt>{put, join});
}

// Does the term count, and is there one?
Expr LoopBuilder::counts(Stage& stage, Expr condition) {
  return condition ? a_.logical_and(in_bounds(stage), values_.read(stage, condition)) : in_bounds(stage);
}

Expr LoopBuilder::in_bounds(Stage& stage) {
  const te::Compute& c = stage.compute;
  Expr inside = values_.guard(stage);
  for (size_t r = 0; r < c.reduce->axes.size(); r++)
    inside = a_.logical_and(inside, values_.below(stage.axis_value[c.axes.size() + r], c.reduce->axes[r].extent));
  return inside;
}

// All elements begin as the identity; then each term joins the one where it goes.
Stmt LoopBuilder::scatter(Stage& stage) {
  const size_t begin = stage.reduce_begin();
  const Stmt begun = spatial_nest(stage, begin, [&] { return store_outputs(stage, stage.compute.reduce->combiner.identity); });
  return a_.block({begun, update(stage, begin)});
}

// A term that lies outside goes nowhere; its place is held within bounds, so that the store is seen to be.
Stmt LoopBuilder::scatter_leaf(Stage& stage) {
  const te::Compute& c = stage.compute;
  const auto terms = te::scattered_terms(c, a_);
  if (!has_terms(stage, terms)) return a_.block({});
  std::vector<Stmt> all;
  Expr inside = counts(stage, terms->counts);
  ir::VarMap to;
  for (size_t d = 0; d < c.axes.size(); d++) {
    const auto found = std::find_if(terms->to.begin(), terms->to.end(), [&](const auto& to) { return to.first == c.axes[d].var; });
    if (found == terms->to.end()) {
      inside = a_.logical_and(inside, values_.below(stage.axis_value[d], c.axes[d].extent));
      continue;
    }
    const Expr place = values_.read(stage, found->second);
    const Var held = a_.var("to", place->type), at = a_.var("at", ir::kIndexType, c.axes[d].extent);
    const Expr lowest = a_.constant(place->type, 0), extent = a_.index(c.axes[d].extent);
    all.push_back(a_.let(held, place));
    all.push_back(a_.let(at, a_.max(a_.min(a_.cast(ir::kIndexType, held), a_.sub(extent, a_.index(1))), a_.index(0))));
    inside = a_.logical_and(inside, a_.logical_and(a_.le(lowest, held), a_.lt(held, a_.constant(place->type, static_cast<double>(c.axes[d].extent)))));
    to[c.axes[d].var] = at;
  }
  ir::VarMap map;
  std::vector<std::vector<Expr>> index;
  for (size_t i = 0; i < c.outputs.size(); i++) {
    index.emplace_back();
    for (Expr e : stage.store_index[i]) index[i].push_back(s_.analyzer().simplify(s_.to_loops(stage, ir::substitute(a_, e, to))));
    map[c.reduce->combiner.acc[i]] = a_.load(c.outputs[i], index[i]);
    map[c.reduce->combiner.val[i]] = values_.read(stage, terms->value[i]);
  }
  std::vector<Stmt> joins;
  std::vector<Expr> results;
  for (size_t i = 0; i < c.outputs.size(); i++) {  // every component sees the old ones
    const Expr value = ir::substitute(a_, c.reduce->combiner.combine[i], map);
    const Var next = a_.var(cat("next", i), value->type);
    joins.push_back(a_.let(next, value));
    results.push_back(next);
  }
  for (size_t i = 0; i < c.outputs.size(); i++) joins.push_back(a_.store(c.outputs[i], index[i], results[i]));
  all.push_back(only_if(stage, inside, a_.block(std::move(joins))));
  return a_.block(std::move(all));
}

}  // namespace hone::lower
