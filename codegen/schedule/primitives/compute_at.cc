// compute_at s c x: stage s is computed inside loop x of its consumer c, for the box that c's inner loops read. s gets one loop per axis,
// or x.0 x.1 … where several strides remain, largest first; its reduce loops follow. In workgroup scope the enclosing thread loops count
// as inner (the block's region), in register scope as outer.
// Refused: a reader that runs outside of loop x of c, a region that is no box, s being an output, c computed inside s, and one copy into workgroup
// memory inside another.
#include <algorithm>

#include "base/cat.h"
#include "codegen/schedule/primitives/primitives.h"

namespace hone::schedule {
namespace {

// Where c's body reads the outputs of s: the indices, over c's axes.
std::vector<std::vector<Expr>> reads_of(const Stage& consumer, const Stage& producer) {
  std::vector<std::vector<Expr>> out;
  auto visit = [&](Expr n) {
    if (n->kind != ir::ExprKind::kLoad) return;
    for (Buffer b : producer.compute.outputs)
      if (n->buffer == b && std::find(out.begin(), out.end(), n->args) == out.end()) out.push_back(n->args);
  };
  for (Expr e : consumer.compute.value) ir::for_each_node(e, visit);
  for (Expr e : consumer.compute.finish) ir::for_each_node(e, visit);
  return out;
}

// c fused whole axes and reads s at exactly those: s fuses the same axes and is indexed by the fused one.
void follow_fused(Schedule& schedule, Stage& consumer, Stage& producer) {
  ir::Arena& arena = schedule.arena();
  if (!producer.fused.empty()) return;
  for (const Fused& f : consumer.fused) {
    std::vector<std::vector<Expr>> reads = reads_of(consumer, producer);
    if (reads.size() != 1) return;
    std::vector<size_t> dims;
    for (Expr part : f.parts)
      for (size_t d = 0; d < reads[0].size(); d++)
        if (reads[0][d] == part && producer.compute.axes[d].extent == f.extents[dims.size()] &&
            std::find(dims.begin(), dims.end(), d) == dims.end()) {
          dims.push_back(d);
          break;
        }
    if (dims.size() != f.parts.size()) continue;
    fuse_axes(schedule, producer, dims, f.name);
    // New outputs of the fused shape, stored at the axes themselves.
    ir::Shape shape;
    std::vector<Expr> index;
    for (const te::Axis& axis : producer.compute.axes) {
      shape.push_back(axis.extent);
      index.push_back(axis.var);
    }
    size_t first = *std::min_element(dims.begin(), dims.end());
    std::vector<Buffer> old = producer.compute.outputs;
    for (size_t i = 0; i < old.size(); i++) {
      producer.compute.outputs[i] = arena.buffer(old[i]->name, old[i]->dtype, shape, producer.scope);
      producer.store_index[i] = index;
    }
    rewrite_loads(schedule, consumer, [&](Expr load) -> Expr {
      for (size_t i = 0; i < old.size(); i++) {
        if (load->buffer != old[i]) continue;
        std::vector<Expr> args;
        for (size_t d = 0; d < load->args.size(); d++) {
          if (d == first) args.push_back(f.axis);
          if (std::find(dims.begin(), dims.end(), d) == dims.end()) args.push_back(load->args[d]);
        }
        return arena.load(producer.compute.outputs[i], args);
      }
      return nullptr;
    });
  }
}

bool encloses(const Schedule& schedule, int outer, int inner) {
  for (int s = inner; s >= 0; s = schedule.stages()[s].consumer)
    if (s == outer) return true;
  return false;
}

// Does stage `reader` run inside loop `at` of stage `consumer`?
bool runs_under(const Schedule& schedule, int reader, int consumer, Var at) {
  const std::vector<Stage>& stages = schedule.stages();
  int below = -1;
  for (int s = reader; s >= 0 && s != consumer; s = stages[s].consumer) below = s;
  if (below < 0) return true;
  const Stage& stage = stages[consumer];
  return stages[below].consumer == consumer && stage.loop_position(stages[below].at) >= stage.loop_position(at);
}

// Loop variables that range while one visit of `at` runs: c's own, and those of what is computed inside.
std::function<bool(Var)> inner_loops(const Schedule& schedule, int consumer, Var at, bool threads_are_inner) {
  std::vector<Var> vars;
  const Stage& stage = schedule.stages()[consumer];
  for (size_t i = stage.loop_position(at) + 1; i < stage.order.size(); i++) vars.push_back(stage.order[i].var);
  for (size_t s = 0; s < schedule.stages().size(); s++)
    if (const Stage& inside = schedule.stages()[s]; static_cast<int>(s) != consumer && !inside.inlined &&
                                                    !inside.root() &&
                                                    runs_under(schedule, static_cast<int>(s), consumer, at))
      for (const Loop& l : inside.order) vars.push_back(l.var);
  if (threads_are_inner)
    for (int s = consumer; s >= 0; s = schedule.stages()[s].consumer)
      for (const Loop& l : schedule.stages()[s].order)
        if (ir::is_thread(l.place)) vars.push_back(l.var);
  return [vars](Var v) { return std::find(vars.begin(), vars.end(), v) != vars.end(); };
}

void make_loops(Schedule& schedule, Stage& producer) {
  ir::Arena& arena = schedule.arena();
  std::vector<te::Axis> axes = producer.compute.axes;
  schedule.reset_loops(producer);
  std::vector<Loop> order;
  for (size_t d = 0; d < axes.size(); d++) {
    const Box& box = producer.boxes[d];
    Expr value = box.base;
    for (size_t i = 0; i < box.levels.size(); i++) {
      std::string name = box.levels.size() == 1 ? axes[d].name : cat(axes[d].name, ".", i);
      Var var = arena.var(name, ir::kIndexType, box.levels[i].extent);
      order.push_back({name, var, box.levels[i].extent, Place::kSerial, false});
      value = arena.add(value, arena.mul(var, arena.index(box.levels[i].stride)));
    }
    producer.axis_value[d] = schedule.analyzer().simplify(value);
  }
  for (const Loop& l : producer.order)
    if (l.reduce) order.push_back(l);
  producer.order = std::move(order);
}

// What the newly attached stage reads of stages attached before lies in the regions that they compute: its reader may have grown since.
Status check_regions(Schedule& schedule, const Stage& reader) {
  arith::Analyzer& analyzer = schedule.analyzer();
  for (const Stage& producer : schedule.stages()) {
    if (producer.inlined || producer.root()) continue;
    for (const auto& read : reads_of(reader, producer))
      for (size_t d = 0; d < read.size(); d++) {
        const Box& box = producer.boxes[d];
        int64_t span = 0;
        for (const Level& level : box.levels) span += (level.extent - 1) * level.stride;
        Expr offset = analyzer.simplify(schedule.arena().sub(schedule.to_loops(reader, read[d]), box.base));
        if (!analyzer.bounds(offset).within(0, span))
          return illegal(cat("stage '", reader.name, "' would read more of '", producer.name,
                             "' than is computed; attach it before its reader's loops are split"));
      }
  }
  return ok_status();
}

}  // namespace

Status apply_compute_at(Schedule& schedule, const Step& step) {
  HONE_ASSIGN(position, stage_named(schedule, step.stage));
  if (step.names.size() != 2) return illegal("compute_at takes a consumer and one of its loops");
  HONE_ASSIGN(consumer, stage_named(schedule, step.names[0]));
  HONE_ASSIGN(loop, loop_named(schedule.stages()[consumer], step.names[1]));
  Var at = loop->var;
  for (const Loop& l : schedule.stages()[consumer].order) {
    if (l.place == Place::kVectorize)
      return illegal(cat("loop '", step.names[1], "' lies inside the vector loop '", l.name, "'; attach further out"));
    if (l.var == at) break;
  }
  Stage& stage = schedule.stages()[position];
  if (encloses(schedule, position, consumer))
    return illegal(cat("'", step.names[0], "' is computed inside '", step.stage, "'"));
  if (!stage.root()) return illegal(cat("stage '", stage.name, "' is attached already"));
  if (stage.compute.reduce && stage.stored_as)
    return illegal(cat("stage '", stage.name, "' would accumulate in ", ir::dtype_name(*stage.stored_as)));
  for (int s = consumer; stage.scope == ir::Scope::kWorkgroup && s >= 0; s = schedule.stages()[s].consumer)
    if (schedule.stages()[s].scope == ir::Scope::kWorkgroup)
      return illegal(cat("all threads fill '", stage.name, "', but each runs '", schedule.stages()[s].name,
                         "' for elements of its own; attach it outside"));
  for (Buffer b : stage.compute.outputs)
    if (schedule.is_output(b)) return illegal(cat("stage '", stage.name, "' writes an output; cache_write it first"));
    else if (schedule.chosen_layout(b))
      return illegal(cat("stage '", stage.name, "' has a layout in global memory; attach it before layout"));
  if (has_children(schedule, position))
    return illegal(cat("a stage is computed inside '", stage.name, "'; attach outer stages first"));
  std::vector<int> readers = schedule.consumers(position);
  if (readers.empty()) return illegal(cat("nobody reads stage '", stage.name, "'"));
  for (int reader : readers)
    if (!runs_under(schedule, reader, consumer, at))
      return illegal(cat("stage '", schedule.stages()[reader].name, "' reads '", stage.name, "' outside of loop '",
                         step.names[1], "' of '", step.names[0], "'"));
  if (stage.scope == ir::Scope::kArg || stage.scope == ir::Scope::kScratch) stage.scope = ir::Scope::kRegister;
  if (readers == std::vector<int>{consumer}) follow_fused(schedule, schedule.stages()[consumer], stage);
  for (size_t i = 0; i < stage.store_index.size(); i++)
    for (size_t d = 0; d < stage.store_index[i].size(); d++)
      if (stage.store_index[i].size() != stage.compute.axes.size() ||
          stage.store_index[i][d] != stage.compute.axes[d].var)
        return illegal(cat("stage '", stage.name, "' has fused axes that '", step.names[0], "' does not read as one"));
  auto inner = inner_loops(schedule, consumer, at, stage.scope == ir::Scope::kWorkgroup);
  stage.boxes.clear();
  for (size_t d = 0; d < stage.compute.axes.size(); d++) {
    std::vector<Expr> accesses;
    for (int reader : readers)
      for (const auto& read : reads_of(schedule.stages()[reader], stage))
        accesses.push_back(schedule.to_loops(schedule.stages()[reader], read[d]));
    HONE_ASSIGN(box, box_of(schedule.analyzer(), schedule.arena(), accesses, inner));
    stage.boxes.push_back(box);
  }
  make_loops(schedule, stage);
  stage.consumer = consumer;
  stage.at = at;
  return check_regions(schedule, stage);
}

}  // namespace hone::schedule
