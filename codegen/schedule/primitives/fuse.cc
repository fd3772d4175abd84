// fuse s x y… name: adjacent loops become one, x slowest. Fusing whole spatial axes of a root stage makes them one axis of the stage
// itself, and stages computed inside it later follow, so a tile of the fused axis stays a box. Otherwise the loops alone are fused and
// their variables become quotients and remainders.
// Refused: not adjacent, spatial mixed with reduce, a bound or annotated loop, a loop that a stage hangs under.
#include <algorithm>

#include "base/cat.h"
#include "codegen/schedule/primitives/primitives.h"

namespace hone::schedule {
namespace {

// The compute's axes that the loops stand for, whole; empty if any loop is a part of an axis.
std::vector<size_t> whole_axes(const Stage& stage, const std::vector<Loop>& loops) {
  std::vector<size_t> out;
  for (const Loop& loop : loops)
    for (size_t a = 0; a < stage.compute.axes.size(); a++)
      if (stage.axis_value[a] == loop.var) out.push_back(a);
  return out.size() == loops.size() ? out : std::vector<size_t>{};
}

// x = f / (extents of those after x) % extent of x
std::vector<Expr> decode(ir::Arena& arena, Expr fused, const std::vector<int64_t>& extents) {
  std::vector<Expr> out(extents.size());
  int64_t below = 1;
  for (size_t i = extents.size(); i-- > 0;) {
    Expr quotient = arena.div(fused, arena.index(below));
    out[i] = i == 0 ? quotient : arena.mod(quotient, arena.index(extents[i]));
    below *= extents[i];
  }
  return out;
}

}  // namespace

void fuse_axes(Schedule& schedule, Stage& stage, const std::vector<size_t>& axes, const std::string& name) {
  ir::Arena& arena = schedule.arena();
  Fused fused;
  fused.name = name;
  int64_t extent = 1;
  for (size_t a : axes) {
    fused.extents.push_back(stage.compute.axes[a].extent);
    extent *= stage.compute.axes[a].extent;
  }
  fused.axis = arena.var(name, ir::kIndexType, extent);
  fused.parts = decode(arena, fused.axis, fused.extents);
  for (Expr& part : fused.parts) part = schedule.analyzer().simplify(part);
  ir::VarMap map;
  for (size_t i = 0; i < axes.size(); i++) map[stage.compute.axes[axes[i]].var] = fused.parts[i];
  auto rewrite = [&](Expr& e) { e = ir::substitute(arena, e, map); };
  for (Expr& e : stage.compute.value) rewrite(e);
  for (Expr& e : stage.compute.finish) rewrite(e);
  if (stage.guard) rewrite(stage.guard);
  for (auto& index : stage.store_index)
    for (Expr& e : index) rewrite(e);
  size_t first = axes[0];
  for (size_t a : axes) first = std::min(first, a);
  std::vector<te::Axis> kept;
  std::vector<Expr> values;
  size_t spatial = stage.compute.axes.size();
  for (size_t a = 0; a < stage.axis_value.size(); a++) {
    bool is_fused = std::find(axes.begin(), axes.end(), a) != axes.end();
    if (a == first) {
      kept.push_back({name, extent, fused.axis});
      values.push_back(nullptr);  // the caller sets the loop
    }
    if (is_fused) continue;
    if (a < spatial) kept.push_back(stage.compute.axes[a]);
    values.push_back(stage.axis_value[a]);
  }
  stage.compute.axes = std::move(kept);
  stage.axis_value = std::move(values);
  stage.fused.push_back(std::move(fused));
}

Status apply_fuse(Schedule& schedule, const Step& step) {
  HONE_ASSIGN(position, stage_named(schedule, step.stage));
  Stage& stage = schedule.stages()[position];
  if (step.names.size() < 2) return illegal("fuse takes two loops or more");
  if (step.option.empty() || stage.loop(step.option))
    return illegal(cat("the name '", step.option, "' of the fused loop is empty or taken"));
  std::vector<Loop> loops;
  for (const std::string& name : step.names) {
    HONE_ASSIGN(loop, loop_named(stage, name));
    if (loop->place != Place::kSerial)
      return illegal(cat("loop '", name, "' is ", ir::place_name(loop->place), " already; fuse first"));
    if (loop->reduce != stage.loop(step.names[0])->reduce) return illegal("fuse mixes spatial and reduce loops");
    if (has_attached(schedule, position, loop->var))
      return illegal(cat("a stage is computed inside loop '", name, "'; fuse before compute_at"));
    loops.push_back(*loop);
  }
  int at = stage.loop_position(loops[0].var);
  int64_t extent = 1;
  for (size_t i = 0; i < loops.size(); i++) {
    if (stage.loop_position(loops[i].var) != at + static_cast<int>(i))
      return illegal(cat("loop '", loops[i].name, "' does not follow the one before it; reorder first"));
    extent *= loops[i].extent;
  }
  ir::Arena& arena = schedule.arena();
  Loop fused{step.option, arena.var(step.option, ir::kIndexType, extent), extent, Place::kSerial, loops[0].reduce};
  std::vector<size_t> axes = stage.root() ? whole_axes(stage, loops) : std::vector<size_t>{};
  if (!axes.empty()) {
    fuse_axes(schedule, stage, axes, step.option);
    for (Expr& value : stage.axis_value)
      if (!value) value = fused.var;
  } else {
    std::vector<int64_t> extents;
    for (const Loop& l : loops) extents.push_back(l.extent);
    std::vector<Expr> parts = decode(arena, fused.var, extents);
    for (size_t i = 0; i < loops.size(); i++)
      replace_loop_var(schedule, position, loops[i].var, schedule.analyzer().simplify(parts[i]));
  }
  stage.order.erase(stage.order.begin() + at, stage.order.begin() + at + static_cast<int>(loops.size()));
  stage.order.insert(stage.order.begin() + at, fused);
  return ok_status();
}

}  // namespace hone::schedule
