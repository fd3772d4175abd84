// variant s name: s is computed as in the task's alternative of that name (schedule/variant.h), whose stages take its place.
// Refused: after any other step; where the task has no such alternative, or accuracy or target do not permit it.
#include "codegen/schedule/variant.h"
#include "base/cat.h"
#include "codegen/schedule/primitives/primitives.h"

namespace hone::schedule {

Status apply_variant(Schedule& schedule, const Step& step) {
  if (!schedule.is_fresh())
    return illegal(cat("variant '", step.option, "' follows other steps; it chooses the program and comes first"));
  HONE_ASSIGN(task, variant_of(schedule.task(), step.stage, step.option, schedule.target()));
  schedule.restart(std::move(task));
  return ok_status();
}

}  // namespace hone::schedule
