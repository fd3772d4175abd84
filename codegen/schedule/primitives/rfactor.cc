// rfactor s x: a new stage "s.rf" keeps reduce loop x as an axis of its own and reduces over s's other reduce loops; s joins its parts, over
// x alone. The parts are a temporary that a launch of its own writes (slices of a long reduction), or, attached, the parts of threads or lanes.
// Tuples, identities and finish follow from the combiner. Where a split of s does not divide its axis, s.rf skips what lies beyond.
// Refused: no reduction, a combiner that is not reassociable, s scheduled beyond its reduce loops, x being all that s reduces over.
#include <algorithm>

#include "base/cat.h"
#include "codegen/schedule/primitives/primitives.h"

namespace hone::schedule {
namespace {

// The stage's spatial axes are whole serial loops, its reduce loops serial, and nothing hangs under it.
bool only_reduce_loops_changed(const Stage& stage) {
  if (!stage.fused.empty() || !stage.root()) return false;
  for (size_t a = 0; a < stage.compute.axes.size(); a++) {
    const Expr value = stage.axis_value[a];
    if (std::none_of(stage.order.begin(), stage.order.end(), [&](const Loop& l) { return l.var == value; }))
      return false;
  }
  return std::all_of(stage.order.begin(), stage.order.end(), [](const Loop& l) { return l.place == Place::kSerial; });
}

te::Axis fresh_axis(ir::Arena& arena, const std::string& name, int64_t extent, Expr old, ir::VarMap& map) {
  te::Axis axis{name, extent, arena.var(name, ir::kIndexType, extent)};
  map[old] = axis.var;
  return axis;
}

// The points of the split loops that lie inside the reduce axes, over the new axes; null when all do.
Expr inside_axes(Schedule& schedule, const std::vector<te::Axis>& axes, const std::vector<Expr>& values) {
  ir::Arena& arena = schedule.arena();
  Expr inside = arena.boolean(true);
  for (size_t i = 0; i < axes.size(); i++)
    inside = arena.logical_and(inside, schedule.analyzer().simplify(arena.lt(values[i], arena.index(axes[i].extent))));
  return ir::is_true(inside) ? nullptr : inside;
}

// s.rf: s with its reduce loops as axes, loop `kept` as the last spatial one.
Stage parts_stage(Schedule& schedule, const Stage& stage, Var kept) {
  ir::Arena& arena = schedule.arena();
  Stage parts;
  parts.name = stage.name + ".rf";
  parts.compute.name = parts.name;
  parts.compute.reduce = te::Reduce{{}, stage.compute.reduce->combiner};
  parts.reads_beyond = stage.reads_beyond;
  ir::VarMap axis_map, loop_map;
  for (const te::Axis& a : stage.compute.axes)
    parts.compute.axes.push_back(fresh_axis(arena, a.name, a.extent, a.var, axis_map));
  for (const Loop& l : stage.order)
    if (l.reduce) {
      te::Axis axis = fresh_axis(arena, l.name, l.extent, l.var, loop_map);
      (l.var == kept ? parts.compute.axes : parts.compute.reduce->axes).push_back(axis);
    }
  const std::vector<te::Axis>& reduced = stage.compute.reduce->axes;
  std::vector<Expr> values;
  for (size_t r = 0; r < reduced.size(); r++) {
    Expr value = ir::substitute(arena, stage.axis_value[stage.compute.axes.size() + r], loop_map);
    values.push_back(schedule.analyzer().simplify(value));
    axis_map[reduced[r].var] = values.back();
  }
  for (Expr e : stage.compute.value) parts.compute.value.push_back(ir::substitute(arena, e, axis_map));
  parts.guard = inside_axes(schedule, reduced, values);
  if (stage.guard) {
    Expr before = ir::substitute(arena, stage.guard, axis_map);
    parts.guard = parts.guard ? arena.logical_and(parts.guard, before) : before;
  }
  ir::Shape shape;
  std::vector<Expr> index;
  for (const te::Axis& a : parts.compute.axes) {
    shape.push_back(a.extent);
    index.push_back(a.var);
  }
  const std::vector<Var>& acc = parts.compute.reduce->combiner.acc;
  for (size_t i = 0; i < acc.size(); i++) {
    parts.compute.outputs.push_back(
        arena.buffer(parts.name + (i ? cat(".", i) : ""), acc[i]->type.dtype, shape, ir::Scope::kScratch));
    parts.store_index.push_back(index);
  }
  parts.scope = ir::Scope::kScratch;
  return parts;
}

}  // namespace

Status apply_rfactor(Schedule& schedule, const Step& step) {
  HONE_ASSIGN(position, stage_named(schedule, step.stage));
  Stage& stage = schedule.stages()[position];
  if (step.names.size() != 1) return illegal("rfactor takes one loop");
  HONE_ASSIGN(loop, loop_named(stage, step.names[0]));
  if (!loop->reduce) return illegal(cat("loop '", loop->name, "' is not a reduction"));
  if (!stage.compute.reduce->combiner.reassociable)
    return illegal("the reduction's order may not change: its combiner is not reassociable");
  if (!only_reduce_loops_changed(stage) || has_children(schedule, position))
    return illegal(cat("stage '", stage.name,
                       "' has been scheduled already; rfactor follows the splits of its reduce "
                       "loops and nothing else"));
  if (std::count_if(stage.order.begin(), stage.order.end(), [](const Loop& l) { return l.reduce; }) < 2)
    return illegal(cat("'", loop->name, "' is all that stage '", stage.name, "' reduces over; split it first"));
  if (schedule.find(stage.name + ".rf") >= 0) return illegal(cat("stage '", stage.name, ".rf' exists already"));
  Stage parts = parts_stage(schedule, stage, loop->var);
  ir::Arena& arena = schedule.arena();
  ir::VarMap unused;
  te::Axis joined = fresh_axis(arena, loop->name, loop->extent, loop->var, unused);
  std::vector<Expr> index;
  for (const te::Axis& a : stage.compute.axes) index.push_back(a.var);
  index.push_back(joined.var);
  stage.compute.value.clear();
  for (Buffer b : parts.compute.outputs) stage.compute.value.push_back(arena.load(b, index));
  stage.compute.reduce->axes = {joined};
  stage.guard = nullptr;
  stage.reads_beyond = false;
  schedule.reset_loops(stage);
  schedule.reset_loops(parts);
  schedule.insert_before(position, std::move(parts));
  return ok_status();
}

}  // namespace hone::schedule
