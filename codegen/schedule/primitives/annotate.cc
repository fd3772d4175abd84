// bind s x place: iterations run on a grid or workgroup dimension. A reduce loop that is all its stage reduces over may run across threads:
// each brings one part, and they are joined through workgroup memory, in a tree of fixed order; every thread has the result.
// lane: thread.x, where a subgroup's lanes exchange their parts instead, each time half as many being left; of a copy that is spread over
// them, the loop whose iterations they share.
// unroll s x: straight-line copies. vectorize s x: one vector operation; of a reduce loop, one product of packed 8-bit numbers.
// Refused: a place the target lacks or that the nest already uses; other reduce loops; vector widths the target lacks.
#include <algorithm>

#include "base/cat.h"
#include "codegen/schedule/packed_product.h"
#include "codegen/schedule/primitives/primitives.h"

namespace hone::schedule {
namespace {

Result<Loop*> serial_loop(Schedule& schedule, const Step& step) {
  HONE_ASSIGN(position, stage_named(schedule, step.stage));
  Stage& stage = schedule.stages()[position];
  if (step.names.size() != 1) return illegal("the step takes one loop");
  HONE_ASSIGN(loop, loop_named(stage, step.names[0]));
  if (loop->place != Place::kSerial)
    return illegal(cat("loop '", loop->name, "' is ", ir::place_name(loop->place), " already"));
  return loop;
}

bool supported(const target::Target& target, Place place) {
  switch (target.kind) {
    case target::Kind::kWebGpu:
      if (place == Place::kLane) return target.subgroup_size > 1;
      return (place >= Place::kBlockX && place <= Place::kBlockZ) || ir::is_thread(place);
    case target::Kind::kOpenCl:
      return (place >= Place::kBlockX && place <= Place::kBlockZ) || ir::is_thread(place);
    case target::Kind::kWebGl:
    case target::Kind::kOpenGl:
      return place == Place::kTexelX || place == Place::kTexelY || place == Place::kTarget;
    case target::Kind::kWasm:
    case target::Kind::kNative:
      return place == Place::kCore;
  }
  return false;
}

Status check_joinable(const target::Target& target, const Stage& stage, const Loop& loop, Place place) {
  const auto reduces = [](const Loop& l) { return l.reduce; };
  if (!ir::is_thread(place) || !target.has_workgroup_memory)
    return illegal(cat("loop '", loop.name, "' is a reduction; rfactor it before binding"));
  if (std::count_if(stage.order.begin(), stage.order.end(), reduces) > 1 ||
      std::none_of(stage.axis_value.begin(), stage.axis_value.end(), [&](Expr e) { return e == loop.var; }))
    return illegal(
        cat("stage '", stage.name, "' reduces over more than loop '", loop.name, "'; rfactor it, then bind"));
  if (!stage.compute.reduce->combiner.reassociable)
    return illegal("the reduction's order may not change: its combiner is not reassociable");
  if (!stage.root() && stage.scope != ir::Scope::kRegister)
    return illegal(
        cat("the parts of stage '", stage.name, "' are joined in workgroup memory; keep its result in registers"));
  return ok_status();
}

bool is_power_of_two(int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

Status check_lanes(const Stage& stage, const Loop& loop) {
  if (stage.spread && !loop.reduce) return ok_status();
  if (!loop.reduce)
    return illegal(cat("loop '", loop.name,
                       "' is neither a reduction nor of a copy in scope lane; only these are shared by lanes"));
  if (!is_power_of_two(loop.extent))
    return illegal(cat("loop '", loop.name, "' of extent ", loop.extent,
                       " is not a power of 2; lanes exchange their parts in pairs"));
  for (ir::Var acc : stage.compute.reduce->combiner.acc)
    if (ir::size_bytes(acc->type.dtype) != 4)
      return illegal(cat("lanes exchange numbers of 4 bytes; stage '", stage.name, "' accumulates ",
                         ir::dtype_name(acc->type.dtype)));
  return ok_status();
}

// A reduction's lanes do not stay apart; but four products of 8-bit numbers are summed at once.
Status check_packed_products(const target::Target& target, const Stage& stage, const Loop& loop) {
  if (!packed_product(stage.compute) || !target.has_packed_products)
    return illegal(cat("loop '", loop.name, "' is a reduction; vectorise the stage that loads its operands"));
  if (loop.extent != kPackedProducts || stage.order.back().var != loop.var)
    return illegal(cat("loop '", loop.name, "' of extent ", loop.extent, " is not the innermost one of ",
                       kPackedProducts, " iterations, which one product of packed numbers takes"));
  return ok_status();
}

}  // namespace

Status apply_bind(Schedule& schedule, const Step& step) {
  HONE_ASSIGN(loop, serial_loop(schedule, step));
  Place place;
  if (!ir::parse_place(step.option, &place) || !supported(schedule.target(), place))
    return illegal(cat("target ", target::kind_name(schedule.target().kind), " has no place '", step.option, "'"));
  int position = schedule.find(step.stage);
  const Stage& stage = schedule.stages()[position];
  const bool lanes = place == Place::kLane;
  if (lanes) {
    HONE_TRY(check_lanes(stage, *loop));
    place = Place::kThreadX;
  }
  if (loop->reduce) HONE_TRY(check_joinable(schedule.target(), stage, *loop, place));
  if (place == Place::kTarget && loop->extent > schedule.target().limits.render_targets_max)
    return illegal(cat("loop '", loop->name, "' of extent ", loop->extent,
                       " needs more render targets than the device's ", schedule.target().limits.render_targets_max));
  bool linear = place == Place::kThread;
  if (!stage.root() && !loop->reduce && !(linear && stage.scope == ir::Scope::kWorkgroup) && !(lanes && stage.spread))
    return illegal("inside a loop only the copies into workgroup memory share the threads; bind them to 'thread'");
  for (const Loop& other : stage.order) {
    if (other.place == place) return illegal(cat("'", step.option, "' is bound to loop '", other.name, "' already"));
    if (ir::is_thread(place) && ir::is_thread(other.place) && (linear || other.place == Place::kThread))
      return illegal(cat("loop '", other.name, "' is bound to '", ir::place_name(other.place),
                         "'; a stage uses either thread or thread.x, y, z"));
  }
  for (const Stage& s : schedule.stages())
    if (ir::is_thread(place) && !s.root() && s.scope == ir::Scope::kWorkgroup)
      for (const Box& box : s.boxes)
        if (ir::uses_var(box.base, loop->var))
          return illegal("a workgroup stage was attached before this bind; bind threads first");
  for (const Stage& s : schedule.stages())
    if (s.double_buffered && s.consumer == position && s.at == loop->var)
      return illegal(cat("stage '", s.name, "' is loaded an iteration of loop '", loop->name, "' ahead; the iterations of a loop bound to '", step.option, "' have no order"));
  loop->place = place;
  loop->lanes = lanes;
  return ok_status();
}

Status apply_unroll(Schedule& schedule, const Step& step) {
  HONE_ASSIGN(loop, serial_loop(schedule, step));
  if (loop->extent > 1024)
    return illegal(
        cat("unrolling ", loop->extent, " iterations of '", loop->name, "' exceeds the code budget; split first"));
  loop->place = Place::kUnroll;
  return ok_status();
}

Status apply_vectorize(Schedule& schedule, const Step& step) {
  HONE_ASSIGN(loop, serial_loop(schedule, step));
  const std::vector<int>& lanes = schedule.target().lanes;
  if (loop->extent != 1 && std::find(lanes.begin(), lanes.end(), loop->extent) == lanes.end())
    return illegal(
        cat("the target has no vectors of ", loop->extent, " lanes; split loop '", loop->name, "' by 2 or 4 first"));
  int position = schedule.find(step.stage);
  const Stage& stage = schedule.stages()[position];
  if (loop->reduce) HONE_TRY(check_packed_products(schedule.target(), stage, *loop));
  for (size_t i = stage.loop_position(loop->var); i < stage.order.size(); i++)
    for (const Stage& s : schedule.stages())
      if (!s.inlined && s.consumer == position && s.at == stage.order[i].var)
        return illegal(
            cat("stage '", s.name, "' is computed inside loop '", loop->name, "'; vectorise a loop further in"));
  for (const Loop& other : stage.order)
    if (other.place == Place::kVectorize) return illegal(cat("loop '", other.name, "' is vectorised already"));
  loop->place = Place::kVectorize;
  return ok_status();
}

}  // namespace hone::schedule
