// scan s: the elements along an axis of s are its running sums: one loop over the terms gives each element what has come together up to it (te/terms.h). The axis's
// own loop is gone, and the loop of the terms stands for it.
// Refused: terms that do not count up to an element's own, a stage that is scheduled already or no root, targets whose threads write only their own element.
#include <algorithm>

#include "base/cat.h"
#include "codegen/schedule/primitives/primitives.h"
#include "codegen/te/terms.h"

namespace hone::schedule {

Status apply_scan(Schedule& schedule, const Step& step) {
  HONE_ASSIGN(position, stage_to_order(schedule, step));
  Stage& stage = schedule.stages()[position];
  std::optional<te::Scan> terms = te::scanned_terms(stage.compute, schedule.arena());
  if (!terms) return illegal(cat("stage '", stage.name, "' has no terms up to each element's own: select(step <= axis, value, identity)"));
  stage.scan = terms->exclusive ? ScanForm::kExclusive : ScanForm::kInclusive;
  stage.compute.reduce->combiner.reassociable = false;  // each sum on the way counts
  const auto axis = std::find_if(stage.compute.axes.begin(), stage.compute.axes.end(), [&](const te::Axis& a) { return a.var == terms->axis; });
  Expr& value = stage.axis_value[static_cast<size_t>(axis - stage.compute.axes.begin())];
  stage.order.erase(stage.order.begin() + stage.loop_position(value));
  value = stage.axis_value.back();
  return ok_status();
}

}  // namespace hone::schedule
