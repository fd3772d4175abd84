#include "codegen/schedule/schedule.h"

#include <algorithm>

#include "base/cat.h"
#include "codegen/schedule/check_threads.h"
#include "codegen/schedule/primitives/primitives.h"

namespace hone::schedule {

Loop* Stage::loop(const std::string& loop_name) {
  for (Loop& l : order)
    if (l.name == loop_name) return &l;
  return nullptr;
}

int Stage::loop_position(Var var) const {
  for (size_t i = 0; i < order.size(); i++)
    if (order[i].var == var) return static_cast<int>(i);
  return -1;
}

size_t Stage::reduce_begin() const {
  for (size_t i = 0; i < order.size(); i++)
    if (order[i].reduce) return i;
  return order.size();
}

bool Stage::is_scattered(const Loop& loop) const {
  for (size_t a = 0; a < compute.axes.size(); a++)
    if (axis_value[a] == loop.var && std::find(scattered.begin(), scattered.end(), compute.axes[a].var) != scattered.end()) return true;
  return false;
}

const Loop* Stage::joining() const {
  for (const Loop& l : order)
    if (l.reduce && ir::is_thread(l.place)) return &l;
  return nullptr;
}

Schedule::Schedule(const te::Task& task, const target::Target& target)
    : task_(task), target_(target), arena_(std::make_shared<ir::Arena>(task.program.arena.get())), analyzer_(*arena_) {
  make_stages();
}

void Schedule::make_stages() {
  stages_.clear();
  for (const te::Compute& compute : program().computes) {
    Stage stage;
    stage.name = compute.name;
    stage.compute = compute;
    for (size_t i = 0; i < compute.outputs.size(); i++) {
      std::vector<Expr> index;
      for (const te::Axis& axis : compute.axes) index.push_back(axis.var);
      stage.store_index.push_back(std::move(index));
    }
    stage.scope = is_output(compute.outputs[0]) ? ir::Scope::kArg : ir::Scope::kScratch;
    reset_loops(stage);
    stages_.push_back(std::move(stage));
  }
}

void Schedule::ask_for_subgroups(int64_t threads) { target_.subgroup_size = asked_subgroup_size_ = threads; }

void Schedule::restart(te::Task task) {
  rewritten_ = std::make_unique<te::Task>(std::move(task));
  make_stages();
}

void Schedule::reset_loops(Stage& stage) {
  stage.order.clear();
  stage.axis_value.clear();
  auto add = [&](const te::Axis& axis, bool reduce) {
    Var var = arena_->var(axis.name, ir::kIndexType, axis.extent);
    stage.order.push_back({axis.name, var, axis.extent, Place::kSerial, reduce});
    stage.axis_value.push_back(var);
  };
  for (const te::Axis& axis : stage.compute.axes) add(axis, false);
  if (stage.compute.reduce)
    for (const te::Axis& axis : stage.compute.reduce->axes) add(axis, true);
}

int Schedule::find(const std::string& name) const {
  for (size_t i = 0; i < stages_.size(); i++)
    if (stages_[i].name == name) return static_cast<int>(i);
  return -1;
}

std::optional<ir::Layout> Schedule::chosen_layout(Buffer buffer) const {
  auto found = layouts_.find(buffer);
  return found == layouts_.end() ? std::nullopt : std::optional(found->second);
}

ir::DType Schedule::kept_as(Buffer argument) const {
  auto found = kept_.find(argument);
  return found == kept_.end() ? argument->dtype : found->second;
}

std::vector<int> Schedule::sibling_readers(int stage) const {
  std::vector<int> out;
  for (int reader : consumers(stage))
    for (int s = reader; s >= 0 && !stages_[s].root(); s = stages_[s].consumer)
      if (stages_[s].at == stages_[stage].at) out.push_back(s);
  return out;
}

bool Schedule::is_output(Buffer buffer) const {
  for (Buffer b : program().outputs)
    if (b == buffer) return true;
  return false;
}

std::vector<int> Schedule::consumers(int producer) const {
  std::vector<int> out;
  for (size_t i = 0; i < stages_.size(); i++) {
    if (stages_[i].inlined || static_cast<int>(i) == producer) continue;
    const te::Compute& reader = stages_[i].compute;
    const auto reads = [&](Expr e) {
      const std::vector<Buffer>&loaded = loaded_by(e), &made = stages_[producer].compute.outputs;
      return std::find_first_of(loaded.begin(), loaded.end(), made.begin(), made.end()) != loaded.end();
    };
    if (std::any_of(reader.value.begin(), reader.value.end(), reads) || std::any_of(reader.finish.begin(), reader.finish.end(), reads))
      out.push_back(static_cast<int>(i));
  }
  return out;
}

const std::vector<Buffer>& Schedule::loaded_by(Expr e) const {
  const auto [place, is_new] = loaded_.try_emplace(e);
  std::vector<Buffer>& out = place->second;
  if (!is_new) return out;
  ir::for_each_node(e, [&](Expr n) {
    if (n->kind == ir::ExprKind::kLoad && std::find(out.begin(), out.end(), n->buffer) == out.end()) out.push_back(n->buffer);
  });
  return out;
}

int Schedule::insert_before(int position, Stage stage) {
  stages_.insert(stages_.begin() + position, std::move(stage));
  for (Stage& s : stages_)
    if (s.consumer >= position) s.consumer++;
  return position;
}

Expr Schedule::to_loops(const Stage& stage, Expr e) {
  ir::VarMap map;
  size_t i = 0;
  for (const te::Axis& axis : stage.compute.axes) map[axis.var] = stage.axis_value[i++];
  if (stage.compute.reduce)
    for (const te::Axis& axis : stage.compute.reduce->axes) map[axis.var] = stage.axis_value[i++];
  return ir::substitute(*arena_, e, map);
}

Status Schedule::apply(const Step& step) {
  HONE_TRY(apply_primitive(*this, step));
  fresh_ = false;
  return check_loads_ahead(*this);
}

Result<std::unique_ptr<Schedule>> apply_trace(const te::Task& task, const Trace& trace, const target::Target& target) {
  auto schedule = std::make_unique<Schedule>(task, target);
  for (size_t i = 0; i < trace.steps.size(); i++) {
    Status status = schedule->apply(trace.steps[i]);
    if (!status.ok())
      return Error{status.error().code, cat("step ", i + 1, " (", primitive_name(trace.steps[i].primitive), " ",
                                            trace.steps[i].stage, "): ", status.error().message)};
  }
  return schedule;
}

namespace {
// Does stage `reader` run inside the loop under which `producer` is attached?
bool runs_inside(const Schedule& schedule, int reader, const Stage& producer) {
  int below = -1;
  for (int s = reader; s >= 0; below = s, s = schedule.stages()[s].consumer) {
    if (s != producer.consumer) continue;
    if (below < 0) return true;
    const Stage& consumer = schedule.stages()[s];
    return consumer.loop_position(schedule.stages()[below].at) >= consumer.loop_position(producer.at);
  }
  return false;
}
}  // namespace

namespace {
const Loop* linear_threads(const Stage& stage) {
  for (const Loop& l : stage.order)
    if (l.place == Place::kThread) return &l;
  return nullptr;
}

const Stage& launch_of(const Schedule& schedule, const Stage& stage) {
  const Stage* s = &stage;
  while (!s->root()) s = &schedule.stages()[static_cast<size_t>(s->consumer)];
  return *s;
}
}  // namespace

Status check_complete(const Schedule& schedule) {
  for (size_t i = 0; i < schedule.stages().size(); i++) {
    const Stage& stage = schedule.stages()[i];
    if (stage.inlined) continue;
    bool global = stage.scope == ir::Scope::kArg || stage.scope == ir::Scope::kScratch;
    if (stage.root() && !global)
      return Error{ErrorCode::kIllegalSchedule,
                   cat("stage '", stage.name, "' lives in ",
                       stage.scope == ir::Scope::kWorkgroup ? "workgroup memory" : "registers",
                       " but is not computed inside any loop; compute_at it")};
    if (stage.root()) continue;
    const Loop* copying = linear_threads(stage);
    const Loop* running = linear_threads(launch_of(schedule, stage));
    if (copying && running && copying->extent > running->extent)
      return Error{ErrorCode::kIllegalSchedule,
                   cat("stage '", stage.name, "' is filled by ", copying->extent, " threads, but only the ",
                       running->extent, " of loop '", running->name, "' reach it; split it by their number")};
    for (int reader : schedule.consumers(static_cast<int>(i)))
      if (!runs_inside(schedule, reader, stage))
        return Error{ErrorCode::kIllegalSchedule,
                     cat("stage '", schedule.stages()[reader].name, "' reads '", stage.name,
                         "' outside of the loop that computes it; compute_at it further in")};
  }
  return check_threads(schedule);
}

namespace {
std::string scope_text(ir::Scope scope) {
  switch (scope) {
    case ir::Scope::kArg:
      return "output";
    case ir::Scope::kScratch:
      return "global";
    case ir::Scope::kWorkgroup:
      return "workgroup";
    case ir::Scope::kRegister:
      return "register";
  }
  return "";
}
}  // namespace

std::string print_schedule(const Schedule& schedule) {
  std::string out;
  for (const Stage& stage : schedule.stages()) {
    out += cat("stage ", stage.name, ": ", stage.inlined ? "inlined" : stage.spread ? "lane" : scope_text(stage.scope));
    if (!stage.root()) {
      const Stage& consumer = schedule.stages()[stage.consumer];
      out += cat(" at ", consumer.name, " ", consumer.order[consumer.loop_position(stage.at)].name);
    }
    if (stage.stored_as) out += cat(" as ", ir::dtype_name(*stage.stored_as));
    out += "\n";
    if (stage.inlined) continue;
    for (const Loop& loop : stage.order) {
      out += cat("  ", loop.name, " ", loop.extent, loop.reduce ? " reduce" : "");
      if (loop.place != Place::kSerial) out += cat(" ", ir::place_name(loop.lanes ? Place::kLane : loop.place));
      out += "\n";
    }
  }
  return out;
}

}  // namespace hone::schedule
