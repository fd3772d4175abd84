// bind s x place: iterations run on a grid or workgroup dimension. unroll s x: straight-line copies. vectorize s x: one vector operation.
// Refused: a place the target lacks or that the nest already uses; binding or vectorising reduce loops; vector widths the target lacks.
#include <algorithm>

#include "base/cat.h"
#include "codegen/schedule/primitives/primitives.h"

namespace hone::schedule {
namespace {

Result<Loop*> serial_loop(Schedule& schedule, const Step& step) {
  HONE_ASSIGN(position, stage_named(schedule, step.stage));
  Stage& stage = schedule.stages()[position];
  if (step.names.size() != 1) return illegal("the step takes one loop");
  HONE_ASSIGN(loop, loop_named(stage, step.names[0]));
  if (loop->place != Place::kSerial) return illegal(cat("loop '", loop->name, "' is ", ir::place_name(loop->place), " already"));
  return loop;
}

bool supported(const target::Target& target, Place place) {
  bool gpu = target.kind == target::Kind::kWebGpu;
  return gpu && (ir::is_block(place) || (ir::is_thread(place)));
}

}  // namespace

Status apply_bind(Schedule& schedule, const Step& step) {
  HONE_ASSIGN(loop, serial_loop(schedule, step));
  Place place;
  if (!ir::parse_place(step.option, &place) || !supported(schedule.target(), place)) return illegal(cat("target ", target::kind_name(schedule.target().kind), " has no place '", step.option, "'"));
  int position = schedule.find(step.stage);
  const Stage& stage = schedule.stages()[position];
  if (loop->reduce) return illegal(cat("loop '", loop->name, "' is a reduction; rfactor it before binding"));
  if (ir::is_block(place) && !stage.root()) return illegal("only a root stage's loops bind to blocks");
  for (int s = position; s >= 0; s = schedule.stages()[s].consumer)
    for (const Loop& other : schedule.stages()[s].order)
      if (other.place == place && (s == position || stage.root())) return illegal(cat("'", step.option, "' is bound to loop '", other.name, "' already"));
  for (const Stage& s : schedule.stages())
    if (ir::is_thread(place) && !s.root() && s.scope == ir::Scope::kWorkgroup)
      for (const Box& box : s.boxes)
        if (ir::uses_var(box.base, loop->var)) return illegal("a workgroup stage was attached before this bind; bind threads first");
  loop->place = place;
  return ok_status();
}

Status apply_unroll(Schedule& schedule, const Step& step) {
  HONE_ASSIGN(loop, serial_loop(schedule, step));
  if (loop->extent > 1024) return illegal(cat("unrolling ", loop->extent, " iterations of '", loop->name, "' exceeds the code budget; split first"));
  loop->place = Place::kUnroll;
  return ok_status();
}

Status apply_vectorize(Schedule& schedule, const Step& step) {
  HONE_ASSIGN(loop, serial_loop(schedule, step));
  const std::vector<int>& lanes = schedule.target().lanes;
  if (loop->extent != 1 && std::find(lanes.begin(), lanes.end(), loop->extent) == lanes.end()) return illegal(cat("the target has no vectors of ", loop->extent, " lanes; split loop '", loop->name, "' by 2 or 4 first"));
  if (loop->reduce) return illegal(cat("loop '", loop->name, "' is a reduction; vectorise the stage that loads its operands"));
  loop->place = Place::kVectorize;
  return ok_status();
}

}  // namespace hone::schedule
