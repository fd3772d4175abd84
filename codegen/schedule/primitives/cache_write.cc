// cache_write s scope: a new stage "s.acc" computes what s did; s becomes the Map that writes it (the epilogue's place).
// scope s scope: where a stage keeps its results. double_buffer s: two copies, of
// which one is loaded for the next iteration while the other is read; in workgroup memory, inside a serial reduce loop of the consumer.
// Refused: a stage that has been scheduled already; double_buffer where a copy of the same loop reads s or is read by it.
#include <algorithm>

#include "base/cat.h"
#include "codegen/schedule/primitives/primitives.h"

namespace hone::schedule {
namespace {

Result<ir::Scope> scope_named(const Schedule& schedule, const std::string& name) {
  if (name == "register") return ir::Scope::kRegister;
  if (name == "global") return ir::Scope::kScratch;
  if (name == "workgroup" && schedule.target().has_workgroup_memory) return ir::Scope::kWorkgroup;
  return illegal(cat("target ", target::kind_name(schedule.target().kind), " has no scope '", name, "'"));
}

}  // namespace

Status apply_cache_write(Schedule& schedule, const Step& step) {
  HONE_ASSIGN(position, stage_named(schedule, step.stage));
  HONE_ASSIGN(scope, scope_named(schedule, step.option));
  if (!is_untouched(schedule.stages()[position]) || has_children(schedule, position))
    return illegal(cat("stage '", step.stage, "' has been scheduled already; cache_write comes first"));
  ir::Arena& arena = schedule.arena();
  Stage acc = schedule.stages()[position];
  acc.name += ".acc";
  if (schedule.find(acc.name) >= 0) return illegal(cat("stage '", acc.name, "' exists already"));
  acc.compute.name = acc.name;
  acc.scope = scope;
  Stage& writer = schedule.stages()[position];
  writer.compute.reduce.reset();
  writer.compute.finish.clear();
  writer.guard = nullptr;
  writer.compute.value.clear();
  ir::VarMap fresh;
  std::vector<Expr> index;
  for (te::Axis& axis : writer.compute.axes) {
    axis.var = arena.var(axis.name, ir::kIndexType, axis.extent);
    index.push_back(axis.var);
  }
  for (size_t i = 0; i < acc.compute.outputs.size(); i++) {
    Buffer old = acc.compute.outputs[i];
    acc.compute.outputs[i] = arena.buffer(acc.name + (i ? cat(".", i) : ""), old->dtype, old->shape, scope);
    writer.compute.value.push_back(arena.load(acc.compute.outputs[i], index));
    writer.store_index[i] = index;
  }
  schedule.reset_loops(writer);
  schedule.reset_loops(acc);
  schedule.insert_before(position, std::move(acc));
  return ok_status();
}

Status apply_scope(Schedule& schedule, const Step& step) {
  HONE_ASSIGN(position, stage_named(schedule, step.stage));
  HONE_ASSIGN(scope, scope_named(schedule, step.option));
  Stage& stage = schedule.stages()[position];
  if (!stage.root())
    return illegal(cat("stage '", step.stage, "' is attached already; set its scope before compute_at"));
  for (Buffer b : stage.compute.outputs)
    if (schedule.is_output(b)) return illegal(cat("stage '", step.stage, "' writes an output"));
  stage.scope = scope;
  return ok_status();
}

Status apply_double_buffer(Schedule& schedule, const Step& step) {
  HONE_ASSIGN(position, stage_named(schedule, step.stage));
  Stage& stage = schedule.stages()[position];
  if (stage.root() || stage.scope != ir::Scope::kWorkgroup)
    return illegal(cat("stage '", step.stage, "' is not a workgroup stage inside a loop"));
  Stage& consumer = schedule.stages()[static_cast<size_t>(stage.consumer)];
  const Loop& at = consumer.order[static_cast<size_t>(consumer.loop_position(stage.at))];
  if (!at.reduce || at.place != Place::kSerial || at.extent < 2)
    return illegal(cat("stage '", step.stage, "' is computed in loop '", at.name, "' of extent ", at.extent,
                       ", which is not a serial reduce loop of two or more iterations"));
  stage.double_buffered = true;
  return ok_status();
}

// What a double-buffered stage reads must be there one iteration earlier; and between its own copies and another one of the same loop
// there is no barrier.
Status check_loads_ahead(const Schedule& schedule) {
  const std::vector<Stage>& stages = schedule.stages();
  if (std::none_of(stages.begin(), stages.end(), [](const Stage& s) { return s.double_buffered; })) return ok_status();
  for (size_t i = 0; i < stages.size(); i++) {
    if (stages[i].root() || stages[i].inlined) continue;
    for (int reader : schedule.sibling_readers(static_cast<int>(i))) {
      const Stage& by = stages[static_cast<size_t>(reader)];
      bool copies = by.scope == ir::Scope::kWorkgroup && (by.double_buffered || stages[i].double_buffered);
      if (copies)
        return illegal(cat("stage '", by.name, "' reads stage '", stages[i].name,
                           "', which is computed in the same loop; only one of the two can run an iteration ahead"));
    }
  }
  return ok_status();
}

}  // namespace hone::schedule
