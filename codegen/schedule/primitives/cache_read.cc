// cache_read t c scope name by: a copy stage `name` of tensor t in front of its reader c. by "iter": indexed by the axes of c that t's
// index uses, in the order of t's dimensions (an implicit im2col; the mask of a padded read moves into the copy). by "elem": indexed by t's own dimensions, so that
// overlapping windows load each element once. scope lane: in registers, each lane of a row of thread.x loading its part of what all of them
// read; the others have it from there.
// Refused: c does not read t; by iter: c reads t at several different indices; c has been tiled away from its axes is fine.
#include <algorithm>

#include "base/cat.h"
#include "codegen/schedule/primitives/primitives.h"

namespace hone::schedule {
namespace {

bool same_tensor(const std::string& wanted, Buffer buffer) { return buffer->name == wanted; }

bool reads_tensors(Expr condition) {
  bool found = false;
  ir::for_each_node(condition, [&](Expr n) { found |= n->kind == ir::ExprKind::kLoad; });
  return found;
}

// The reads of t in c: plain loads, or selects that guard exactly such a load with a constant otherwise (padding). What depends on other tensors stays with the reader.
struct Reads {
  std::vector<Expr> loads;
  std::vector<Expr> guarded;  // select(cond, load, const)
};

Reads find_reads(const Stage& consumer, const std::string& tensor) {
  Reads out;
  auto visit = [&](Expr n) {
    if (n->kind == ir::ExprKind::kLoad && same_tensor(tensor, n->buffer)) out.loads.push_back(n);
    if (n->kind == ir::ExprKind::kSelect && n->args[1]->kind == ir::ExprKind::kLoad &&
        same_tensor(tensor, n->args[1]->buffer) && is_const(n->args[2]) && !reads_tensors(n->args[0]))
      out.guarded.push_back(n);
  };
  ir::NodeSet seen;
  for (Expr e : consumer.compute.value) ir::for_each_node(e, seen, visit);
  return out;
}

// The axes of c that the read uses, in the order of the tensor's dimensions; those that only its guard uses come last.
std::vector<te::Axis> axes_used(const Stage& consumer, Expr load, Expr whole) {
  std::vector<te::Axis> all = consumer.compute.axes, out;
  if (consumer.compute.reduce)
    all.insert(all.end(), consumer.compute.reduce->axes.begin(), consumer.compute.reduce->axes.end());
  auto add = [&](Expr e) {
    ir::VarSet vars;
    ir::collect_vars(e, vars);
    for (const te::Axis& a : all) {
      bool known = std::any_of(out.begin(), out.end(), [&](const te::Axis& o) { return o.var == a.var; });
      if (vars.count(a.var) && !known) out.push_back(a);
    }
  };
  for (Expr index : load->args) add(index);
  add(whole);
  return out;
}

// Lanes may differ in what the guard alone depends on, and would have other parts from each other.
Expr copied_read(const Stage& consumer, const Reads& reads, bool spread) {
  if (reads.guarded.empty()) return reads.loads[0];
  const bool more = axes_used(consumer, reads.loads[0], reads.guarded[0]).size() > axes_used(consumer, reads.loads[0], reads.loads[0]).size();
  return spread && more ? reads.loads[0] : reads.guarded[0];
}

class ReplaceNode final : public ir::Mutator {
 public:
  ReplaceNode(ir::Arena& arena, Expr from, Expr to) : Mutator(arena), from_(from), to_(to) {}

 protected:
  Expr expr(Expr e) override { return e == from_ ? to_ : rebuild(e); }

 private:
  Expr from_, to_;
};

Stage copy_stage(Schedule& schedule, const Step& step, std::vector<te::Axis> axes, Expr value, ir::Scope scope) {
  ir::Arena& arena = schedule.arena();
  Stage copy;
  copy.name = step.extra;
  copy.compute.name = step.extra;
  ir::VarMap map;
  ir::Shape shape;
  std::vector<Expr> index;
  for (te::Axis& axis : axes) {
    Var var = arena.var(axis.name, ir::kIndexType, axis.extent);
    if (axis.var) map[axis.var] = var;
    axis.var = var;
    shape.push_back(axis.extent);
    index.push_back(var);
  }
  copy.compute.axes = std::move(axes);
  copy.compute.value = {ir::substitute(arena, value, map)};
  copy.compute.outputs = {arena.buffer(step.extra, value->type.dtype, shape, scope)};
  copy.store_index = {index};
  copy.scope = scope;
  schedule.reset_loops(copy);
  return copy;
}

}  // namespace

Status apply_cache_read(Schedule& schedule, const Step& step) {
  if (step.names.size() != 1 || step.extra.empty()) return illegal("cache_read takes a consumer and a name");
  HONE_ASSIGN(consumer, stage_named(schedule, step.names[0]));
  if (schedule.find(step.extra) >= 0) return illegal(cat("the stage name '", step.extra, "' is taken"));
  ir::Scope scope;
  const bool spread = step.option == "lane" && schedule.target().subgroup_size > 1;
  if (spread || step.option == "register") scope = ir::Scope::kRegister;
  else if (step.option == "workgroup" && schedule.target().has_workgroup_memory) scope = ir::Scope::kWorkgroup;
  else if (step.option == "global") scope = ir::Scope::kScratch;
  else
    return illegal(
        cat("target ", target::kind_name(schedule.target().kind), " has no scope '", step.option, "' for a copy"));
  Stage& stage = schedule.stages()[consumer];
  for (const Stage& s : schedule.stages())
    if (!s.root() && s.consumer == consumer)
      for (Buffer b : s.compute.outputs)
        if (b->name == step.stage && !s.inlined && s.scope == ir::Scope::kRegister && !s.spread)
          return illegal(cat("'", step.stage, "' is in registers already"));
  Reads reads = find_reads(stage, step.stage);
  if (reads.loads.empty()) return illegal(cat("stage '", stage.name, "' does not read '", step.stage, "'"));
  ir::Arena& arena = schedule.arena();
  if (step.by == "iter") {
    if (reads.loads.size() != 1)
      return illegal(
          cat("stage '", stage.name, "' reads '", step.stage, "' at ", reads.loads.size(), " places; use by elem"));
    Expr whole = copied_read(stage, reads, spread);
    std::vector<te::Axis> axes = axes_used(stage, reads.loads[0], whole);
    std::vector<Expr> index;
    for (const te::Axis& a : axes) index.push_back(a.var);
    Stage copy = copy_stage(schedule, step, axes, whole, scope);
    ReplaceNode replace(arena, whole, arena.load(copy.compute.outputs[0], index));
    for (Expr& e : stage.compute.value) e = replace.mutate(e);
    copy.reads_beyond = stage.reads_beyond || stage.guard;
    copy.spread = spread;
    schedule.insert_before(consumer, std::move(copy));
  } else if (step.by == "elem") {
    Buffer tensor = reads.loads[0]->buffer;
    std::vector<te::Axis> axes;
    std::vector<Expr> index;
    for (size_t d = 0; d < tensor->shape.size(); d++) {
      axes.push_back({cat("d", d), tensor->shape[d], arena.var(cat("d", d), ir::kIndexType, tensor->shape[d])});
      index.push_back(axes.back().var);
    }
    Stage copy = copy_stage(schedule, step, axes, arena.load(tensor, index), scope);
    copy.spread = spread;
    Buffer held = copy.compute.outputs[0];
    rewrite_loads(schedule, stage,
                  [&](Expr load) -> Expr { return load->buffer == tensor ? arena.load(held, load->args) : nullptr; });
    schedule.insert_before(consumer, std::move(copy));
  } else {
    return illegal(cat("by '", step.by, "' is unknown; use iter or elem"));
  }
  return ok_status();
}

}  // namespace hone::schedule
