#include "codegen/lower/build_loops.h"

#include <algorithm>
#include <map>

#include "base/cat.h"
#include "codegen/lower/in_halves.h"
#include "codegen/lower/place_storage.h"
#include "codegen/lower/read_values.h"
#include "codegen/lower/temp_layout.h"
#include "codegen/schedule/check_threads.h"

namespace hone::lower {

using ir::Buffer;
using ir::Expr;
using ir::Place;
using ir::Scope;
using ir::Stmt;
using ir::Var;
using schedule::Loop;
using schedule::Schedule;
using schedule::Stage;

namespace {

// Does a thread run the loop's body several times, one after the other?
bool repeats(const Loop& l) { return (l.place == Place::kSerial || ir::is_straight(l.place)) && l.extent > 1; }

class LoopBuilder {
 public:
  LoopBuilder(const te::Task& task, Schedule& schedule)
      : task_(task), s_(schedule), a_(schedule.arena()), values_(schedule, storage_) {}

  Result<ir::Kernel> build();

 private:
  Stmt nest(Stage& stage, size_t level);
  Stmt shared_nest(Stage& stage);
  bool feeds_copy(const Stage& stage) const;
  bool reads_any(const Stage& reader, const std::vector<const Stage*>& written) const;
  Stmt rotate(const Loop& l, Stmt shared, Stmt ahead, Stmt use);
  Stmt wrap(Stage& stage, size_t level, Stmt inner);
  Stmt in_each_lane(const Stage& stage, const Loop& l, Stmt body);
  Stmt loop(const Loop& l, Stmt body);
  Stmt spatial_nest(Stage& stage, size_t from, const std::function<Stmt()>& leaf);
  Stmt reduction(Stage& stage);
  Stmt update(Stage& stage, size_t level);
  Stmt update_leaf(Stage& stage);
  Stmt join_threads(Stage& stage);
  Stmt join_lanes(Stage& stage);
  Stmt exchange(Stage& stage, int64_t difference);
  std::vector<Stmt> regroup(Stage& stage, int64_t subgroup, int64_t groups);
  Stmt written_by_one(Stage& stage);
  Stmt part_leaf(Stage& stage);
  Stmt combine_parts(Stage& stage, Expr into, Expr from);
  std::vector<Stmt> combined(Stage& stage, const ir::VarMap& map);
  Stmt store_outputs(Stage& stage, const std::vector<Expr>& values);
  std::vector<Expr> map_values(Stage& stage);
  std::vector<Expr> finish_values(Stage& stage);
  Expr accumulator(Stage& stage, size_t component);
  Stmt store_accumulator(Stage& stage, size_t component, Expr value);
  void place(Stage& stage);
  void check_turns(const Stage& stage, const Storage& storage);
  Stmt only_if(const Stage& stage, Expr condition, Stmt body);
  void place_accumulators(Stage& stage);
  bool accumulates_in_place(const Stage& stage) const {
    return !stage.root() && stage.scope == Scope::kRegister && stage.compute.finish.empty() && !stage.joining();
  }

  const te::Task& task_;
  Schedule& s_;
  ir::Arena& a_;
  StorageMap storage_;
  ReadValues values_;
  std::map<const Stage*, std::vector<std::pair<Buffer, Expr>>> accumulators_;  // buffer and flat index
  ir::VarMap renamed_;  // fresh variables of init and finish nests
  std::vector<Stmt> register_allocs_;
  Status status_ = ok_status();
  int serial_depth_ = 0;  // serial loops around the current statement, within the launch
};

// Readers look for an element in the lane whose turn it is.
void LoopBuilder::check_turns(const Stage& stage, const Storage& storage) {
  const auto is_lane = [](const Loop& l) { return l.lanes; };
  const Loop& lane = *std::find_if(stage.order.begin(), stage.order.end(), is_lane);
  if (values_.own_lane(storage) != lane.var)
    status_ = Error{ErrorCode::kIllegalSchedule,
                    cat("loop '", lane.name, "' does not run over neighbouring pieces of stage '", stage.name,
                        "', which lanes take in turns; fuse its loops and split off the lanes")};
}

void LoopBuilder::place(Stage& stage) {
  if (stage.root()) return;
  const Storage storage = storage_of(s_, stage);
  if (stage.spread) check_turns(stage, storage);
  for (Buffer out : stage.compute.outputs) {
    Storage placed = storage;
    placed.buffer = a_.buffer(out->name, stage.stored_as.value_or(out->dtype), {storage.elements}, stage.scope);
    storage_[out] = placed;
    register_allocs_.push_back(a_.alloc(placed.buffer));
  }
}

void LoopBuilder::place_accumulators(Stage& stage) {
  if (!stage.compute.reduce || accumulates_in_place(stage)) return;
  Expr index = a_.index(0);
  int64_t count = 1;
  for (const Loop* l : accumulator_dims(s_, stage)) {
    index = a_.add(a_.mul(index, a_.index(l->extent)), l->var);
    count *= l->extent;
  }
  index = s_.analyzer().simplify(index);
  const te::Combiner& combiner = stage.compute.reduce->combiner;
  for (size_t i = 0; i < combiner.acc.size(); i++) {
    Buffer acc = a_.buffer(cat(stage.name, "_sum", i), combiner.acc[i]->type.dtype, {count},
                           stage.joining() && !stage.joining()->lanes ? Scope::kWorkgroup : Scope::kRegister);
    accumulators_[&stage].push_back({acc, index});
    register_allocs_.push_back(a_.alloc(acc));
  }
}

// What lanes have from each other all of them ask for.
Stmt LoopBuilder::only_if(const Stage& stage, Expr condition, Stmt body) {
  bool exchanges = false, differs = false;
  ir::for_each_stmt(body,
                    [&](Stmt s) { ir::for_each_node(s->value, [&](Expr e) { exchanges |= ir::is_exchange(e); }); });
  for (const Loop* l : schedule::loops_around(s_, stage, stage.order.size()))
    differs |= ir::is_thread(l->place) && ir::uses_var(condition, l->var);
  if (exchanges && differs)
    status_ = Error{ErrorCode::kIllegalSchedule, cat("some threads skip what stage '", stage.name,
                                                     "' has from other lanes; let its loops divide their extents")};
  return a_.if_then(condition, body);
}

// Each lane of a row that runs already takes the iteration of its number.
Stmt LoopBuilder::in_each_lane(const Stage& stage, const Loop& l, Stmt body) {
  const Loop* x = schedule::bound_to(schedule::loops_around(s_, stage, 0), Place::kThreadX);
  return ir::substitute(a_, body, {{l.var, x->var}});
}

Stmt LoopBuilder::loop(const Loop& l, Stmt body) {
  if (l.extent == 0) return a_.block({});  // nothing is known of a variable without values, and so of the reads by it
  if (l.extent == 1 && l.place != Place::kThread) return body;  // the simplifier knows that its variable is 0
  return a_.loop(l.var, l.extent, l.place, body);
}

Stmt LoopBuilder::wrap(Stage& stage, size_t level, Stmt inner) {
  const Loop& l = stage.order[level];
  bool serial = repeats(l);
  serial_depth_ += serial;
  std::vector<Stmt> shared, ahead, own;
  std::vector<const Stage*> written;
  bool copies = false;
  for (Stage& child : s_.stages()) {
    if (child.inlined || child.root() || &s_.stages()[child.consumer] != &stage || child.at != l.var) continue;
    const bool is_copy = child.scope == Scope::kWorkgroup;
    if (is_copy && child.double_buffered) {
      ahead.push_back(shared_nest(child));
    } else if (!is_copy && !feeds_copy(child)) {  // behind the one barrier that all copies share
      own.push_back(nest(child, 0));
    } else {
      if (reads_any(child, written)) {
        shared.push_back(a_.barrier());
        written.clear();
      }
      shared.push_back(is_copy ? shared_nest(child) : nest(child, 0));
      if (is_copy) written.push_back(&child);
      copies |= is_copy;
    }
  }
  std::vector<Stmt> use = own;
  use.push_back(inner);
  if (copies && serial_depth_ > 0) use.push_back(a_.barrier());  // before the next visit overwrites
  serial_depth_ -= serial;
  if (!ahead.empty()) return rotate(l, a_.block(shared), a_.block(ahead), a_.block(use));
  if (copies) shared.push_back(a_.barrier());
  shared.insert(shared.end(), use.begin(), use.end());
  const Stmt body = a_.block(std::move(shared));
  return stage.spread && l.lanes ? in_each_lane(stage, l, body) : loop(l, body);
}

// Does a stage of workgroup scope in the same loop read the stage, directly or through others?
bool LoopBuilder::feeds_copy(const Stage& stage) const {
  for (int reader : s_.sibling_readers(static_cast<int>(&stage - s_.stages().data()))) {
    const Stage& by = s_.stages()[static_cast<size_t>(reader)];
    if (&by != &stage && (by.scope == Scope::kWorkgroup || feeds_copy(by))) return true;
  }
  return false;
}

bool LoopBuilder::reads_any(const Stage& reader, const std::vector<const Stage*>& written) const {
  const Stage* first = s_.stages().data();
  return std::any_of(written.begin(), written.end(), [&](const Stage* w) {
    std::vector<int> readers = s_.sibling_readers(static_cast<int>(w - first));
    return std::find(readers.begin(), readers.end(), static_cast<int>(&reader - first)) != readers.end();
  });
}

// Double buffering: `ahead` loads for the next iteration into one half while `use` reads the other, so one barrier an iteration is enough.
// The last iteration, which has no next, stands behind the loop: no condition inside.
Stmt LoopBuilder::rotate(const Loop& l, Stmt shared, Stmt ahead, Stmt use) {
  auto at = [&](Expr iteration, Stmt s) { return ir::fresh_copy(a_, s, {{l.var, iteration}}); };
  Loop most = l;
  most.extent = l.extent - 1;
  most.var = a_.var(l.var->name, ir::kIndexType, most.extent);
  Expr next = a_.add(most.var, a_.index(1)), last = a_.index(most.extent);
  Stmt body = a_.block({at(most.var, shared), a_.barrier(), at(next, ahead), at(most.var, use)});
  std::vector<Stmt> all{at(a_.index(0), ahead), loop(most, body), at(last, shared), a_.barrier(), at(last, use)};
  if (serial_depth_ > 0) all.push_back(a_.barrier());  // before the next visit overwrites
  return a_.block(std::move(all));
}

// A workgroup stage that binds no loop to the threads is computed by the first thread alone.
Stmt LoopBuilder::shared_nest(Stage& stage) {
  bool bound =
      std::any_of(stage.order.begin(), stage.order.end(), [](const Loop& l) { return l.place == Place::kThread; });
  Stmt body = nest(stage, 0);
  return bound ? body : a_.loop(a_.var("one", ir::kIndexType, 1), 1, Place::kThread, body);
}

Stmt LoopBuilder::nest(Stage& stage, size_t level) {
  if (stage.compute.reduce && level == stage.reduce_begin()) return reduction(stage);
  if (level == stage.order.size()) return store_outputs(stage, map_values(stage));
  // The inner nest is built inside the loop's serial depth.
  const Loop& l = stage.order[level];
  bool serial = repeats(l);
  serial_depth_ += serial;
  Stmt inner = nest(stage, level + 1);
  serial_depth_ -= serial;
  return wrap(stage, level, inner);
}

// The stage's spatial loops from position `from`, with fresh variables, around a leaf.
Stmt LoopBuilder::spatial_nest(Stage& stage, size_t from, const std::function<Stmt()>& leaf) {
  std::vector<Loop> loops;
  ir::VarMap outer = renamed_;
  for (size_t i = from; i < stage.order.size(); i++) {
    if (stage.order[i].reduce) continue;
    Loop l = stage.order[i];
    l.var = a_.var(l.var->name, ir::kIndexType, l.extent);
    renamed_[stage.order[i].var] = l.var;
    loops.push_back(l);
  }
  Stmt body = leaf();
  body = ir::substitute(a_, body, renamed_);
  for (size_t i = loops.size(); i-- > 0;) body = loop(loops[i], body);
  renamed_ = outer;
  return body;
}

Stmt LoopBuilder::reduction(Stage& stage) {
  if (stage.joining()) return stage.joining()->lanes ? join_lanes(stage) : join_threads(stage);
  size_t begin = stage.reduce_begin();
  const te::Combiner& combiner = stage.compute.reduce->combiner;
  std::vector<Stmt> body;
  body.push_back(spatial_nest(stage, begin, [&] {
    std::vector<Stmt> stores;
    for (size_t i = 0; i < combiner.identity.size(); i++)
      stores.push_back(store_accumulator(stage, i, combiner.identity[i]));
    return a_.block(std::move(stores));
  }));
  body.push_back(update(stage, begin));
  if (!accumulates_in_place(stage))
    body.push_back(spatial_nest(stage, begin, [&] { return store_outputs(stage, finish_values(stage)); }));
  return a_.block(std::move(body));
}

Stmt LoopBuilder::update(Stage& stage, size_t level) {
  if (level == stage.order.size()) return update_leaf(stage);
  const Loop& l = stage.order[level];
  bool serial = repeats(l);
  serial_depth_ += serial;
  Stmt inner = update(stage, level + 1);
  serial_depth_ -= serial;
  return wrap(stage, level, inner);
}

Expr multiply_add(ir::Arena& a, Expr e) {
  if (e->kind != ir::ExprKind::kAdd || !ir::is_float(e->type.dtype)) return e;
  Expr x = e->args[0], y = e->args[1];
  if (y->kind == ir::ExprKind::kMul) return a.mad(y->args[0], y->args[1], x);
  return e;
}

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

Stmt LoopBuilder::update_leaf(Stage& stage) {
  if (stage.joining()) return part_leaf(stage);
  const te::Compute& c = stage.compute;
  const te::Combiner& combiner = c.reduce->combiner;
  ir::VarMap map;
  const bool halves = accumulates_in_place(stage) && stage.stored_as;
  for (size_t i = 0; i < combiner.acc.size(); i++) {
    const Expr value = values_.read(stage, c.value[i]);
    map[combiner.acc[i]] = accumulator(stage, i);
    map[combiner.val[i]] = halves ? in_halves(a_, value) : value;
  }
  Expr inside = values_.guard(stage);
  size_t spatial = c.axes.size();
  for (size_t r = 0; r < c.reduce->axes.size(); r++)
    inside = a_.logical_and(inside, values_.below(stage.axis_value[spatial + r], c.reduce->axes[r].extent));
  return only_if(stage, inside, a_.block(combined(stage, map)));
}

// The accumulators' new values, `map` giving the old ones and what is joined to them.
std::vector<Stmt> LoopBuilder::combined(Stage& stage, const ir::VarMap& map) {
  const te::Combiner& combiner = stage.compute.reduce->combiner;
  std::vector<Stmt> stores;
  std::vector<Expr> results;
  for (size_t i = 0; i < combiner.combine.size(); i++) {
    Expr value = multiply_add(a_, ir::substitute(a_, combiner.combine[i], map));
    if (combiner.combine.size() > 1) {  // every component sees the old accumulators
      Var held = a_.var(cat("next", i), value->type);
      stores.push_back(a_.let(held, value));
      value = held;
    }
    results.push_back(value);
  }
  for (size_t i = 0; i < results.size(); i++) stores.push_back(store_accumulator(stage, i, results[i]));
  return stores;
}

Expr LoopBuilder::accumulator(Stage& stage, size_t i) {
  if (accumulates_in_place(stage)) {
    const Storage& storage = storage_.at(stage.compute.outputs[i]);
    return a_.load(storage.buffer, {values_.own_index(storage)});
  }
  auto [buffer, index] = accumulators_.at(&stage)[i];
  return a_.load(buffer, {index});
}

Stmt LoopBuilder::store_accumulator(Stage& stage, size_t i, Expr value) {
  if (accumulates_in_place(stage)) {
    const Storage& storage = storage_.at(stage.compute.outputs[i]);
    const ir::Type kept{storage.buffer->dtype, value->type.lanes};
    return a_.store(storage.buffer, {values_.own_index(storage)}, a_.cast(kept, value));
  }
  auto [buffer, index] = accumulators_.at(&stage)[i];
  return a_.store(buffer, {index}, value);
}

std::vector<Expr> LoopBuilder::map_values(Stage& stage) {
  std::vector<Expr> out;
  for (Expr e : stage.compute.value) out.push_back(values_.read(stage, e));
  return out;
}

std::vector<Expr> LoopBuilder::finish_values(Stage& stage) {
  const te::Combiner& combiner = stage.compute.reduce->combiner;
  ir::VarMap map;
  std::vector<Expr> out;
  for (size_t i = 0; i < combiner.acc.size(); i++) map[combiner.acc[i]] = accumulator(stage, i);
  if (stage.compute.finish.empty())
    for (Var acc : combiner.acc) out.push_back(map[acc]);
  for (Expr e : stage.compute.finish) out.push_back(ir::substitute(a_, values_.read(stage, e), map));
  return out;
}

Stmt LoopBuilder::store_outputs(Stage& stage, const std::vector<Expr>& values) {
  std::vector<Stmt> stores;
  if (!stage.root()) {
    for (size_t i = 0; i < values.size(); i++) {
      const Storage& storage = storage_.at(stage.compute.outputs[i]);
      Expr kept = a_.cast({storage.buffer->dtype, values[i]->type.lanes}, values[i]);
      stores.push_back(a_.store(storage.buffer, {values_.own_index(storage)}, kept));
    }
    return only_if(stage, values_.inside(storage_.at(stage.compute.outputs[0])), a_.block(std::move(stores)));
  }
  Expr inside = a_.boolean(true);
  for (size_t d = 0; d < stage.compute.axes.size(); d++)
    inside = a_.logical_and(inside, values_.below(stage.axis_value[d], stage.compute.axes[d].extent));
  for (size_t i = 0; i < values.size(); i++) {
    std::vector<Expr> index;
    for (Expr e : stage.store_index[i]) index.push_back(s_.analyzer().simplify(s_.to_loops(stage, e)));
    stores.push_back(a_.store(stage.compute.outputs[i], index, values[i]));
  }
  return only_if(stage, inside, a_.block(std::move(stores)));
}

Result<ir::Kernel> LoopBuilder::build() {
  ir::Kernel kernel;
  kernel.arena = s_.shared_arena();
  std::unordered_map<Buffer, Buffer> global;
  const te::Program& program = s_.program();
  kernel.input_count = static_cast<int>(program.inputs.size());
  size_t position = 0;
  for (const auto& list : {program.inputs, program.outputs})
    for (Buffer b : list) {
      const ir::Layout& handed_over = task_.args.at(position++).layout;
      Buffer arg = a_.buffer(b->name, s_.kept_as(b), b->shape, Scope::kArg, s_.chosen_layout(b).value_or(handed_over));
      kernel.args.push_back(arg);
      kernel.arg_layouts.push_back(arg->layout);
      global[b] = arg;
    }
  for (Stage& stage : s_.stages()) {
    if (stage.inlined) continue;
    place(stage);
    place_accumulators(stage);
    if (!stage.root() || stage.scope == Scope::kArg) continue;
    for (Buffer b : stage.compute.outputs) {
      std::optional<ir::Layout> chosen = s_.chosen_layout(b);
      Buffer temp = a_.buffer(b->name, stage.stored_as.value_or(b->dtype), b->shape, Scope::kScratch,
                              chosen ? *chosen : temp_layout(stage));
      kernel.temps.push_back(temp);
      global[b] = temp;
    }
  }
  values_.set_global(&global);
  for (Stage& stage : s_.stages()) {
    if (stage.inlined || !stage.root()) continue;
    ir::Launch launch;
    launch.sampled = stage.sampled;
    launch.subgroup_size = s_.asked_subgroup_size();
    Stmt body = nest(stage, 0);
    std::vector<Stmt> all;
    // A register or workgroup buffer belongs to the launch that uses it.
    std::unordered_set<Buffer> used;
    ir::for_each_stmt(body, [&](Stmt s) {
      if (s->buffer) used.insert(s->buffer);
    });
    if (used.empty()) continue;  // a tensor without elements
    for (Stmt alloc : register_allocs_)
      if (used.count(alloc->buffer)) all.push_back(alloc);
    all.push_back(body);
    launch.body = values_.retarget(a_.block(std::move(all)));
    kernel.launches.push_back(launch);
  }
  HONE_TRY(status_);
  return kernel;
}

}  // namespace

Result<ir::Kernel> build_loops(const te::Task& task, Schedule& schedule) { return LoopBuilder(task, schedule).build(); }

}  // namespace hone::lower
