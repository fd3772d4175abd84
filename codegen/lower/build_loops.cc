#include "codegen/lower/build_loops.h"

#include <algorithm>

#include "base/cat.h"
#include "codegen/lower/in_halves.h"
#include "codegen/lower/loop_builder.h"
#include "codegen/lower/temp_layout.h"
#include "codegen/schedule/check_threads.h"

namespace hone::lower {

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
  if (!stage.compute.reduce || accumulates_in_place(stage) || !stage.scattered.empty()) return;
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

namespace {
// Does a thread run the loop's body several times, one after the other?
bool repeats(const Loop& l) { return (l.place == Place::kSerial || ir::is_straight(l.place)) && l.extent > 1; }
}  // namespace

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
  const auto is_empty = [](const te::Axis& axis) { return axis.extent == 0; };
  if (stage.in_order() && std::any_of(stage.compute.axes.begin(), stage.compute.axes.end(), is_empty)) return a_.block({});  // the axis has no loop of its own
  if (!stage.scattered.empty()) return scatter(stage);
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
  if (!accumulates_in_place(stage) && stage.scan == schedule::ScanForm::kNone)
    body.push_back(spatial_nest(stage, begin, [&] { return store_outputs(stage, finish_values(stage)); }));
  return a_.block(std::move(body));
}

Stmt LoopBuilder::update(Stage& stage, size_t level) {
  if (level == stage.order.size()) return stage.scattered.empty() ? update_leaf(stage) : scatter_leaf(stage);
  const Loop& l = stage.order[level];
  if (stage.is_scattered(l)) return update(stage, level + 1);
  bool serial = repeats(l);
  serial_depth_ += serial;
  Stmt inner = update(stage, level + 1);
  serial_depth_ -= serial;
  return wrap(stage, level, inner);
}

namespace {
Expr multiply_add(ir::Arena& a, Expr e) {
  if (e->kind != ir::ExprKind::kAdd || !ir::is_float(e->type.dtype)) return e;
  Expr x = e->args[0], y = e->args[1];
  if (y->kind == ir::ExprKind::kMul) return a.mad(y->args[0], y->args[1], x);
  return e;
}
}  // namespace

Stmt LoopBuilder::update_leaf(Stage& stage) {
  if (stage.joining()) return part_leaf(stage);
  if (stage.scan != schedule::ScanForm::kNone) return scan_leaf(stage);
  const te::Compute& c = stage.compute;
  const te::Combiner& combiner = c.reduce->combiner;
  ir::VarMap map;
  const bool halves = accumulates_in_place(stage) && stage.stored_as;
  for (size_t i = 0; i < combiner.acc.size(); i++) {
    const Expr value = values_.read(stage, c.value[i]);
    map[combiner.acc[i]] = accumulator(stage, i);
    map[combiner.val[i]] = halves ? in_halves(a_, value) : value;
  }
  return only_if(stage, in_bounds(stage), a_.block(combined(stage, map)));
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

Result<ir::Kernel> build_loops(const te::Task& task, Schedule& schedule) { return LoopBuilder(task, schedule).build(); }

}  // namespace hone::lower
