// Parts of a reduction, which threads and lanes of subgroups join.
#include "base/cat.h"
#include "codegen/lower/loop_builder.h"
#include "codegen/schedule/check_threads.h"

namespace hone::lower {

// Each thread stores its part; then half of those left join the other half's, one barrier a step, in an order that depends on nothing but
// their number. The first part is the result, for every thread.
Stmt LoopBuilder::join_threads(Stage& stage) {
  const size_t begin = stage.reduce_begin();
  const Loop& x = *stage.joining();
  std::vector<Stmt> body{update(stage, begin), a_.barrier()};
  for (int64_t parts = x.extent; parts > 1;) {
    const int64_t half = (parts + 1) / 2;
    Loop joins = x;
    joins.extent = parts - half;
    joins.var = a_.var(x.var->name, ir::kIndexType, joins.extent);
    Stmt step =
        spatial_nest(stage, begin, [&] { return combine_parts(stage, joins.var, a_.add(joins.var, a_.index(half))); });
    body.push_back(a_.loop(joins.var, joins.extent, joins.place, step));
    body.push_back(a_.barrier());
    parts = half;
  }
  body.push_back(written_by_one(stage));
  if (serial_depth_ > 0) body.push_back(a_.barrier());  // before the next visit overwrites
  return a_.block(std::move(body));
}

// What all threads know the first of them writes where the result is the launch's.
Stmt LoopBuilder::written_by_one(Stage& stage) {
  const Loop& x = *stage.joining();
  Stmt write = spatial_nest(stage, stage.reduce_begin(), [&] { return store_outputs(stage, finish_values(stage)); });
  write = ir::substitute(a_, write, {{x.var, a_.index(0)}});
  return stage.root() ? a_.loop(a_.var("one", ir::kIndexType, 1), 1, x.place, write) : write;
}

// Each thread joins its part with that of the lane whose number differs in one bit, bit by bit, until all lanes of a subgroup have what all of
// them had. Where parts lie in several subgroups, the first lane of each leaves its group's in workgroup memory, and the groups' parts are
// joined in the same way: every subgroup reads all of them, so that every thread has the result.
Stmt LoopBuilder::join_lanes(Stage& stage) {
  const size_t begin = stage.reduce_begin();
  const int64_t subgroup = s_.target().subgroup_size;
  std::vector<Stmt> body{update(stage, begin)};
  bool shared = false;
  for (int64_t parts = stage.joining()->extent; parts > 1; parts /= subgroup) {
    for (int64_t difference = 1; difference < std::min(parts, subgroup); difference *= 2)
      body.push_back(spatial_nest(stage, begin, [&] { return exchange(stage, difference); }));
    if (parts <= subgroup) break;
    for (Stmt s : regroup(stage, subgroup, parts / subgroup)) body.push_back(s);
    shared = true;
  }
  body.push_back(written_by_one(stage));
  if (shared && serial_depth_ > 0) body.push_back(a_.barrier());  // before the next visit overwrites
  return a_.block(std::move(body));
}

// acc = combine(acc, the other lane's acc)
Stmt LoopBuilder::exchange(Stage& stage, int64_t difference) {
  const te::Combiner& combiner = stage.compute.reduce->combiner;
  ir::VarMap map;
  std::vector<Stmt> all;
  for (size_t i = 0; i < combiner.acc.size(); i++) {
    Expr own = accumulator(stage, i);
    Var other = a_.var(cat("other", i), own->type);
    all.push_back(a_.let(other, a_.lane_xor(own, difference)));
    map[combiner.acc[i]] = own;
    map[combiner.val[i]] = other;
  }
  for (Stmt s : combined(stage, map)) all.push_back(s);
  return a_.block(std::move(all));
}

// Thread i, whose subgroup has the part of group (i / subgroup) % groups, gets that of group i % groups.
std::vector<Stmt> LoopBuilder::regroup(Stage& stage, int64_t subgroup, int64_t groups) {
  const size_t begin = stage.reduce_begin();
  const Loop& x = *stage.joining();
  std::vector<const Loop*> dims;
  for (const Loop* l : accumulator_dims(s_, stage)) dims.push_back(l);
  for (const Loop* l : schedule::loops_around(s_, stage, begin))
    if (ir::is_thread(l->place)) dims.push_back(l);
  Expr base = a_.index(0);
  int64_t count = groups;
  for (const Loop* l : dims) {
    base = a_.add(a_.mul(base, a_.index(l->extent)), l->var);
    count *= l->extent;
  }
  base = a_.mul(base, a_.index(groups));
  std::vector<Buffer> parts;
  for (Var acc : stage.compute.reduce->combiner.acc) {
    parts.push_back(a_.buffer(cat(stage.name, "_groups", parts.size()), acc->type.dtype, {count}, Scope::kWorkgroup));
    register_allocs_.push_back(a_.alloc(parts.back()));
  }
  auto each_thread = [&](const std::function<Stmt(Expr thread, size_t component)>& leaf) {
    Var thread = a_.var(x.var->name, ir::kIndexType, x.extent);
    Stmt nest = spatial_nest(stage, begin, [&] {
      std::vector<Stmt> all;
      for (size_t i = 0; i < parts.size(); i++) all.push_back(leaf(thread, i));
      return a_.block(std::move(all));
    });
    return a_.loop(thread, x.extent, x.place, nest);
  };
  const auto at = [&](Expr group) { return std::vector<Expr>{s_.analyzer().simplify(a_.add(base, group))}; };
  Stmt leave = each_thread([&](Expr thread, size_t i) {
    Expr group = a_.div(thread, a_.index(subgroup));
    Expr first = a_.eq(a_.mod(thread, a_.index(subgroup)), a_.index(0));
    Expr once = a_.lt(group, a_.index(groups));
    return a_.if_then(a_.logical_and(first, once), a_.store(parts[i], at(group), accumulator(stage, i)));
  });
  Stmt take = each_thread([&](Expr thread, size_t i) {
    return store_accumulator(stage, i, a_.load(parts[i], at(a_.mod(thread, a_.index(groups)))));
  });
  return {leave, a_.barrier(), take};
}

Stmt LoopBuilder::part_leaf(Stage& stage) {
  const te::Compute& c = stage.compute;
  const Expr counts = values_.guard(stage);
  std::vector<Stmt> stores;
  for (size_t i = 0; i < c.value.size(); i++) {
    Expr value = values_.read(stage, c.value[i]);
    if (!ir::is_true(counts)) value = a_.select(counts, value, c.reduce->combiner.identity[i]);
    stores.push_back(store_accumulator(stage, i, value));
  }
  return a_.block(std::move(stores));
}

// part[into] = combine(part[into], part[from])
Stmt LoopBuilder::combine_parts(Stage& stage, Expr into, Expr from) {
  const te::Combiner& combiner = stage.compute.reduce->combiner;
  const Var x = stage.joining()->var;
  ir::VarMap map;
  for (size_t i = 0; i < combiner.acc.size(); i++) {
    map[combiner.acc[i]] = ir::substitute(a_, accumulator(stage, i), {{x, into}});
    map[combiner.val[i]] = ir::substitute(a_, accumulator(stage, i), {{x, from}});
  }
  std::vector<Stmt> stores = combined(stage, map);
  return ir::substitute(a_, a_.block(std::move(stores)), {{x, into}});
}

}  // namespace hone::lower
