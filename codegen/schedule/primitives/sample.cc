// sample s: the launch of the root stage s reads its textures by their sampler, at the middle of a texel, instead of by the texel's number.
// The numbers read are the same; which is faster is the device's.
// Refused: where tensors are no textures, and for what is computed inside another stage's launch.
#include "base/cat.h"
#include "codegen/schedule/primitives/primitives.h"

namespace hone::schedule {

Status apply_sample(Schedule& schedule, const Step& step) {
  HONE_ASSIGN(position, stage_named(schedule, step.stage));
  Stage& stage = schedule.stages()[static_cast<size_t>(position)];
  if (!target::on_textures(schedule.target().kind))
    return illegal("the target's tensors are not textures: there is nothing to sample");
  if (!stage.root())
    return illegal(cat("stage '", stage.name, "' is computed inside another; its launch is not its own"));
  stage.sampled = true;
  return ok_status();
}

}  // namespace hone::schedule
