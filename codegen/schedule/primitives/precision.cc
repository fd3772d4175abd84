// precision s f16: what the stage computed is kept in half the bytes and widened where it is read; all arithmetic stays f32.
// Refused: where the target has no f16, where the task's accuracy does not bear the rounding, and where it would add up: sums that accumulate
// in the storage itself. Outputs are the caller's.
#include "base/cat.h"
#include "codegen/schedule/primitives/primitives.h"

namespace hone::schedule {

Status apply_precision(Schedule& schedule, const Step& step) {
  HONE_ASSIGN(position, stage_named(schedule, step.stage));
  Stage& stage = schedule.stages()[static_cast<size_t>(position)];
  if (step.option != ir::dtype_name(ir::DType::kF16))
    return illegal(cat("values are kept as f16, found '", step.option, "'"));
  if (!schedule.target().has_f16) return illegal("the target has no f16");
  if (!permits_f16(schedule.task().accuracy))
    return illegal(cat("the task owes an error of at most ", schedule.task().accuracy.tolerance(),
                       ", and f16 rounds by ", kF16Rounding, "; a tolerance of ", kF16ToleranceMin, " permits it"));
  for (Buffer b : stage.compute.outputs) {
    if (schedule.is_output(b)) return illegal(cat("stage '", stage.name, "' writes an output"));
    if (b->dtype != ir::DType::kF32)
      return illegal(cat("stage '", stage.name, "' computes ", ir::dtype_name(b->dtype), ", not f32"));
  }
  if (stage.compute.reduce && !stage.root())
    return illegal(
        cat("stage '", stage.name, "' accumulates where it is stored; only Maps and launches may be narrow"));
  stage.stored_as = ir::DType::kF16;
  return ok_status();
}

bool permits_f16(const te::Accuracy& accuracy) { return accuracy.tolerance() >= kF16ToleranceMin; }

}  // namespace hone::schedule
