// inline s: a Map's value is substituted wherever it is read. Refused: a reduction, an output, a stage that has been placed.
#include "base/cat.h"
#include "codegen/schedule/primitives/primitives.h"

namespace hone::schedule {

Status apply_inline(Schedule& schedule, const Step& step) {
  HONE_ASSIGN(position, stage_named(schedule, step.stage));
  Stage& stage = schedule.stages()[position];
  if (stage.compute.reduce) return illegal(cat("stage '", stage.name, "' is a reduction; only maps can be inlined"));
  if (!stage.root()) return illegal(cat("stage '", stage.name, "' is attached already"));
  for (Buffer b : stage.compute.outputs)
    if (schedule.is_output(b)) return illegal(cat("stage '", stage.name, "' writes an output"));
  const te::Compute compute = stage.compute;
  if (has_children(schedule, position))
    return illegal(cat("a stage is computed inside '", stage.name, "'; inline it first"));
  if (!stage.fused.empty()) return illegal(cat("stage '", stage.name, "' has fused axes; inline it first"));
  ir::Arena& arena = schedule.arena();
  for (int c : schedule.consumers(position)) {
    rewrite_loads(schedule, schedule.stages()[c], [&](Expr load) -> Expr {
      for (size_t i = 0; i < compute.outputs.size(); i++) {
        if (load->buffer != compute.outputs[i]) continue;
        ir::VarMap map;
        for (size_t a = 0; a < compute.axes.size(); a++) map[compute.axes[a].var] = load->args[a];
        return ir::substitute(arena, compute.value[i], map);
      }
      return nullptr;
    });
  }
  schedule.stages()[position].inlined = true;
  return ok_status();
}

}  // namespace hone::schedule
