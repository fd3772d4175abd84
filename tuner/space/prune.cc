#include <algorithm>

#include "base/cat.h"
#include "codegen/lower/place_storage.h"
#include "codegen/ir/mutator.h"
#include "tuner/space/machine.h"
#include "tuner/space/operations.h"
#include "tuner/space/rules.h"

namespace hone::tuner {

namespace {

// Compiling and creating a kernel grows with its code: LLVM takes 40 to 120 µs for an operation (products, convolutions and merges on an x86-64 core of 2.5 GHz).
// Beyond this it costs more than a trial.
constexpr int64_t kOperationsMax = 8000;
// A statement's at the least: it stores what it loads.
constexpr int64_t kOperationsMin = 2;

using ir::Place;
using schedule::Loop;
using schedule::Stage;

int root_of(const std::vector<Stage>& stages, int stage) {
  while (stages[static_cast<size_t>(stage)].consumer >= 0) stage = stages[static_cast<size_t>(stage)].consumer;
  return stage;
}

int64_t box_elements(const Stage& stage) {
  int64_t elements = 1;
  for (const schedule::Box& box : stage.boxes)
    for (const schedule::Level& level : box.levels) elements *= level.extent;
  return elements;
}

// A stage with a serial loop over what it stores cannot be in registers: it lies in a thread's memory.
bool loops_over_storage(const Stage& stage) {
  return std::any_of(stage.order.begin(), stage.order.end(),
                     [](const Loop& loop) { return !loop.reduce && loop.place == Place::kSerial && loop.extent > 1; });
}

int64_t vector_lanes(const Stage& stage) {
  for (const Loop& loop : stage.order)
    if (loop.place == Place::kVectorize) return loop.extent;
  return 1;
}

// The lanes over which the stage is spread; 1 where it is not.
int64_t threads_sharing(const Stage& stage) {
  const auto shared =
      std::find_if(stage.order.begin(), stage.order.end(), [](const Loop& l) { return l.lanes && !l.reduce; });
  return shared == stage.order.end() ? 1 : shared->extent;
}

// Of a loop's body: an unrolled one has one for each iteration, one that loads ahead stands once more for its last iteration.
int64_t copies_of(const std::vector<Stage>& stages, const Loop& loop) {
  if (loop.place == Place::kUnroll) return loop.extent;
  return std::any_of(stages.begin(), stages.end(),
                     [&loop](const Stage& s) { return s.double_buffered && s.at == loop.var; })
             ? 2
             : 1;
}

// The axes that differ between the lanes of a vector.
std::vector<ir::Var> lanes_of(const Stage& stage) {
  std::vector<ir::Var> lanes;
  for (const Loop& loop : stage.order) {
    if (loop.place != Place::kVectorize) continue;
    const auto add = [&](const te::Axis& axis, ir::Expr value) {
      if (value && ir::uses_var(value, loop.var)) lanes.push_back(axis.var);
    };
    size_t i = 0;
    for (const te::Axis& axis : stage.compute.axes) add(axis, stage.axis_value[i++]);
    if (!stage.compute.reduce) continue;
    for (const te::Axis& axis : stage.compute.reduce->axes) add(axis, stage.axis_value[i++]);
  }
  return lanes;
}

// Of a statement, its store among them.
int64_t code_of(const Stage& stage) {
  const double written = operations_of(stage.compute.value, lanes_of(stage)).written(of(vector_lanes(stage)));
  return std::max(kOperationsMin, 1 + static_cast<int64_t>(written));
}

// Operations of one visit of the stage's innermost serial loop.
int64_t unrolled(const std::vector<Stage>& stages, const Stage& stage) {
  int64_t operations = code_of(stage);
  for (const Loop& loop : stage.order) operations *= copies_of(stages, loop);
  return operations;
}

// How many copies of a serial loop those around it make; 0 without a serial loop.
int64_t copied_loops(const std::vector<Stage>& stages, const Stage& stage) {
  int64_t copies = 1, most = 0;
  for (const Loop& loop : stage.order) {
    copies *= copies_of(stages, loop);
    if (loop.place == Place::kSerial && loop.extent > 1) most = copies;
  }
  return most;
}

// How many copies of the loop nest around the attachment there are, so that the attached stage is copied too.
int64_t copies_around(const std::vector<Stage>& stages, const Stage& stage) {
  int64_t copies = 1;
  if (stage.consumer < 0) return copies;
  const Stage& consumer = stages[static_cast<size_t>(stage.consumer)];
  for (const Loop& loop : consumer.order) {
    copies *= copies_of(stages, loop);
    if (loop.var == stage.at) break;
  }
  return copies;
}

struct LaunchCost {
  int64_t thread_x = 1, thread_y = 1, thread_z = 1, linear = 1;
  int64_t joined_elements = 0;  // parts of one thread in workgroup memory, of 4 bytes

  int64_t threads() const { return std::max(thread_x * thread_y * thread_z, linear); }
  int64_t blocks_max = 1;
  int64_t workgroup_bytes = 0;
  int64_t live_vectors = 0;
  int64_t operations = 0, loops = 0;
};

void add_stage(schedule::Schedule& schedule, const Stage& stage, LaunchCost& cost) {
  const std::vector<Stage>& stages = schedule.stages();
  for (const Loop& loop : stage.order) {
    if (ir::is_block(loop.place)) cost.blocks_max = std::max(cost.blocks_max, loop.extent);
    if (loop.place == Place::kThreadX) cost.thread_x = std::max(cost.thread_x, loop.extent);
    if (loop.place == Place::kThreadY) cost.thread_y = std::max(cost.thread_y, loop.extent);
    if (loop.place == Place::kThreadZ) cost.thread_z = std::max(cost.thread_z, loop.extent);
    if (loop.place == Place::kThread) cost.linear = std::max(cost.linear, loop.extent);
  }
  int64_t elements = box_elements(stage);
  if (stage.joining() && !stage.joining()->lanes)
    cost.joined_elements += elements * static_cast<int64_t>(stage.compute.value.size());
  if (!stage.root() && stage.scope == ir::Scope::kWorkgroup)
    cost.workgroup_bytes += lower::storage_of(schedule, stage).elements *
                            ir::size_bytes(stage.stored_as.value_or(stage.compute.outputs[0]->dtype));
  if (!stage.root() && stage.scope == ir::Scope::kRegister && !loops_over_storage(stage)) {
    int64_t lanes = vector_lanes(stage) * threads_sharing(stage);
    cost.live_vectors += (elements + lanes - 1) / lanes;
  }
  cost.operations += unrolled(stages, stage) * copies_around(stages, stage);
  cost.loops += copied_loops(stages, stage) * copies_around(stages, stage);
}

}  // namespace

int64_t prune(TraceBuilder& t) {
  if (!t.ok()) return 0;
  int64_t operations = 0;
  const std::vector<Stage>& stages = t.schedule().stages();
  const target::Limits& limits = t.target().limits;
  auto exceeds = [&t](const char* what, int64_t found, int64_t max, const char* in_words, const char* unit = "") {
    if (found > max)
      t.refuse(ErrorCode::kLimitExceeded, cat(what, " ", found, " exceeds ", max), cat(in_words, " above ", max, unit));
  };
  for (size_t r = 0; r < stages.size(); ++r) {
    if (stages[r].inlined || !stages[r].root()) continue;
    LaunchCost cost;
    for (size_t s = 0; s < stages.size(); ++s)
      if (!stages[s].inlined && root_of(stages, static_cast<int>(s)) == static_cast<int>(r))
        add_stage(t.schedule(), stages[s], cost);
    cost.workgroup_bytes += cost.joined_elements * cost.threads() * 4;
    exceeds("invocations", cost.threads(), limits.invocations_max, "threads of a workgroup");
    exceeds("workgroup_size_x", cost.thread_x, limits.workgroup_size_x_max, "threads along x");
    exceeds("workgroup_size_y", cost.thread_y, limits.workgroup_size_y_max, "threads along y");
    exceeds("workgroup_size_z", cost.thread_z, limits.workgroup_size_z_max, "threads along z");
    exceeds("grid", cost.blocks_max, limits.grid_dim_max, "workgroups along one dimension");
    exceeds("workgroup_bytes", cost.workgroup_bytes, limits.workgroup_bytes_max, "workgroup memory", " bytes");
    exceeds("live_vectors", cost.live_vectors, limits.live_vectors_max, "live vectors");
    exceeds("unrolled_operations", cost.operations, std::min(kOperationsMin * limits.unrolled_nodes_max, kOperationsMax), "unrolled operations");
    exceeds("copied_loops", cost.loops, copied_loops_max(t.target()), "copied loops");
    operations += cost.operations;
  }
  return operations;
}

}  // namespace hone::tuner
