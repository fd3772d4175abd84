// split s x [f1 … fn] tail: x becomes x.0 (⌈E / ∏f⌉), x.1 (f1) … x.n (fn); x = x.0·∏f + … . Factors need not divide; what lies beyond
// the extent is masked where it matters (tail guard, and peel for reduce loops: the pass partition_loops cuts those).
// Refused: factors that do not divide a loop which is an inner part of its axis (its last copies would overlap the next outer iteration);
// f < 1, a bound or annotated loop, a loop that a stage hangs under.
#include "base/cat.h"
#include "codegen/schedule/primitives/primitives.h"

namespace hone::schedule {
namespace {

// Whole reduce axes that were fused: one iteration too many leads past the slowest of them, whatever the others wrap to.
bool leads_past_an_axis(const Stage& stage, const Loop& loop) {
  for (size_t r = 0; r < stage.compute.reduce->axes.size(); r++) {
    Expr value = stage.axis_value[stage.compute.axes.size() + r];
    bool quotient = value->kind == ir::ExprKind::kDiv && value->args[0] == loop.var && is_const(value->args[1]);
    if (quotient && value->args[1]->ival * stage.compute.reduce->axes[r].extent == loop.extent) return true;
  }
  return false;
}

// Running past the loop's extent only leads past the axis (or past the box of an attached copy), where writes are guarded: the loop's
// part is the slowest one. An attached reduction has no such guard.
bool may_overshoot(Schedule& schedule, const Stage& stage, const Loop& loop) {
  if (loop.reduce && leads_past_an_axis(stage, loop)) return true;
  if (!stage.root() && stage.compute.reduce && !loop.reduce) return false;
  bool used = false;  // a fused loop of one iteration may stand for no axis: running it again would repeat all
  for (size_t i = 0; i < stage.axis_value.size(); i++) {
    if (!ir::uses_var(stage.axis_value[i], loop.var)) continue;
    used = true;
    Expr own =
        i < stage.boxes.size() ? schedule.arena().sub(stage.axis_value[i], stage.boxes[i].base) : stage.axis_value[i];
    arith::Affine a = arith::to_affine(own);
    int64_t stride = a.coefficient_of(loop.var);
    if (stride <= 0) return false;
    a.add(loop.var, -stride);
    Expr rest = arith::from_affine(schedule.arena(), a);
    if (ir::uses_var(rest, loop.var) || !schedule.analyzer().bounds(rest).within(0, stride - 1)) return false;
  }
  return used;
}

bool reads_attached(const Schedule& schedule, const Stage& stage) {
  bool found = false;
  for (const Stage& s : schedule.stages()) {
    if (s.inlined || s.root()) continue;
    for (Expr e : stage.compute.value)
      ir::for_each_node(e, [&](Expr n) {
        for (Buffer b : s.compute.outputs) found |= n->kind == ir::ExprKind::kLoad && n->buffer == b;
      });
  }
  return found;
}

}  // namespace

Status apply_split(Schedule& schedule, const Step& step) {
  HONE_ASSIGN(position, stage_named(schedule, step.stage));
  Stage& stage = schedule.stages()[position];
  if (step.names.size() != 1) return illegal("split takes one loop");
  HONE_ASSIGN(found, loop_named(stage, step.names[0]));
  if (step.factors.empty()) return illegal("split needs at least one factor");
  if (step.option != "guard" && step.option != "peel")
    return illegal(cat("tail '", step.option, "' is not supported; use guard or peel"));
  Loop old = *found;
  if (old.place != Place::kSerial)
    return illegal(cat("loop '", old.name, "' is ", ir::place_name(old.place), " already; split first"));
  if (has_attached(schedule, position, old.var))
    return illegal(cat("a stage is computed inside loop '", old.name, "'; split before compute_at"));
  int64_t product = 1;
  for (int64_t f : step.factors) {
    if (f < 1 || f > (1 << 24)) return illegal(cat("factor ", f, " is out of range; use 1 or more"));
    product *= f;
  }
  if (old.extent % product != 0 && !may_overshoot(schedule, stage, old))
    return illegal(cat("loop '", old.name, "' of extent ", old.extent,
                       " is an inner part of its axis; its factors must divide it"));
  if (old.extent % product != 0 && (has_children(schedule, position) || reads_attached(schedule, stage)))
    return illegal(cat("factors that do not divide loop '", old.name, "' of extent ", old.extent,
                       " would grow the region of the attached stages that '", stage.name,
                       "' reads; split before compute_at"));
  ir::Arena& arena = schedule.arena();
  std::vector<Loop> parts;
  std::vector<int64_t> extents{(old.extent + product - 1) / product};
  extents.insert(extents.end(), step.factors.begin(), step.factors.end());
  Expr value = nullptr;
  for (size_t i = 0; i < extents.size(); i++) {
    std::string name = cat(old.name, ".", i);
    Var var = arena.var(name, ir::kIndexType, extents[i]);
    parts.push_back({name, var, extents[i], Place::kSerial, old.reduce});
    value = value ? arena.add(arena.mul(value, arena.index(extents[i])), var) : var;
  }
  replace_loop_var(schedule, position, old.var, value);
  int at = stage.loop_position(old.var);
  stage.order.erase(stage.order.begin() + at);
  stage.order.insert(stage.order.begin() + at, parts.begin(), parts.end());
  return ok_status();
}

}  // namespace hone::schedule
