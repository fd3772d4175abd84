#include "codegen/package/model_plan.h"

#include <algorithm>
#include <array>

#include "base/cat.h"
#include "codegen/graph/plan_memory.h"
#include "codegen/package/pack_tensor.h"
#include "codegen/te/evaluate.h"
#include "codegen/te/narrow.h"

namespace hone::package {

using graph::Graph;
using graph::ValueId;

namespace {

int64_t padded(int64_t bytes) { return std::max<int64_t>(16, (bytes + 15) / 16 * 16); }

// How a kernel reads a value.
struct Wanted {
  ir::Layout layout;
  bool halves = false;  // a constant, kept as f16

  std::string text() const { return ir::layout_text(layout) + (halves ? " f16" : ""); }
};

class Planner {
 public:
  Planner(const Graph& graph, const KernelOf& kernel_of, const CancelToken* cancel, Boundary boundary)
      : graph_(graph), kernel_of_(kernel_of), cancel_(cancel), boundary_(boundary) {}
  Result<ModelPlan> plan();

 private:
  void place_model_nodes();
  // A tensor of the pool: what a step computes, or a scratch buffer of its kernel.
  struct Pooled {
    graph::Tenant tenant;
    ValueId value = graph::kNoValue;  // kNoValue: scratch
    PlanTexture texture;
  };

  ValueId home(ValueId id) const { return steps_.home[static_cast<size_t>(id)]; }
  Result<PlanTensor> tensor_of(ValueId id, const Wanted& wanted, int64_t least_bytes);
  int add_buffer(int64_t bytes);
  Status note_texture(int handle, const emit::Binding& binding);
  int kind_of(const PlanTexture& texture);
  Result<int> resident(ValueId id, const Wanted& wanted, int64_t bytes);
  Result<int> read_handle(ValueId id, const Wanted& wanted, int64_t bytes, int step);
  int pool_handle(ValueId id, int64_t bytes, int step);
  int lasts_until(int written, int read) const { return static_cast<int>(graph::lasts_until(steps_, static_cast<size_t>(written), static_cast<size_t>(read))); }
  void number_loops();
  void add_loops();
  void keep_what_is_ahead(const emit::KernelSource& source, const std::vector<int>& temps);
  int kernel_index(const emit::LaunchSource& source);
  Status add_step(const graph::Step& step, int index);
  ValueId given(ValueId id) const;
  Status add_outputs();
  void place_pool();
  void give_textures();

  const Graph& graph_;
  const KernelOf& kernel_of_;
  const CancelToken* cancel_;
  const Boundary boundary_;
  graph::ModelSteps steps_;
  ModelPlan plan_;
  std::map<Hash, emit::KernelSource> sources_;
  std::map<std::string, int> kernels_;                        // by code and bindings
  std::map<std::pair<ValueId, std::string>, int> residents_;  // inputs and constants by home and form: their buffer
  std::vector<Pooled> pool_;       // buffer −1 − i in launches stands for pool_[i] until it is placed
  std::map<ValueId, int> pooled_;  // by home; a loop's state is written by several steps
  std::map<ValueId, ValueId>
      enlarged_;  // Boundary::kPorts: what shows a graph input with zeros behind it, and that input
  std::map<std::array<int64_t, 4>, int> texture_kinds_;
};

int Planner::add_buffer(int64_t bytes) {
  plan_.buffers.push_back(padded(bytes));
  plan_.textures.emplace_back();
  return static_cast<int>(plan_.buffers.size()) - 1;
}

// All that read or write a texture agree on its form: it follows from the value's layout.
Status Planner::note_texture(int handle, const emit::Binding& binding) {
  if (binding.texture.width == 0) return ok_status();
  const ir::DType stored = emit::texel_type(binding.element);
  PlanTexture& known =
      handle < 0 ? pool_[static_cast<size_t>(-1 - handle)].texture : plan_.textures[static_cast<size_t>(handle)];
  if (known.texture.width == 0) known = {binding.texture, stored};
  if (known.texture == binding.texture && known.stored == stored) return ok_status();
  return Error{ErrorCode::kInternal, "two kernels disagree on the texture of a value"};
}

int Planner::kind_of(const PlanTexture& texture) {
  const ir::Texture& t = texture.texture;
  const std::array<int64_t, 4> key = {t.width, t.height, t.layers, static_cast<int64_t>(texture.stored)};
  return texture_kinds_.try_emplace(key, static_cast<int>(texture_kinds_.size())).first->second;
}

// What the caller gives for an input of the plan.
ValueId Planner::given(ValueId id) const {
  const auto found = enlarged_.find(id);
  return found == enlarged_.end() ? id : found->second;
}

// Every axis named, so that a smaller tensor lies in it, too.
ir::Layout explicit_layout(const ir::Shape& shape, ir::Layout layout) {
  if (!layout.row_major()) return layout;
  for (size_t axis = 0; axis < shape.size(); axis++) layout.dims.push_back({static_cast<int>(axis), 1, shape[axis]});
  return layout;
}

Result<PlanTensor> Planner::tensor_of(ValueId id, const Wanted& wanted, int64_t least_bytes) {
  const graph::Value& v = graph_.value(id);
  PlanTensor out{given(id), te::narrow_type(v.dtype),
                 given(id) == id ? wanted.layout : explicit_layout(v.shape, wanted.layout)};
  if (ir::size_bytes(out.stored) != kElementBytes)
    return Error{ErrorCode::kUnsupported,
                 cat("the value '", v.name, "' has the type ", ir::dtype_name(v.dtype), ", which no device holds yet")};
  if (wanted.halves) out.stored = ir::DType::kF16;
  out.bytes = physical_bytes(v.shape, wanted.layout, ir::size_bytes(out.stored));
  out.buffer = add_buffer(std::max(out.bytes, least_bytes));
  return out;
}

// The buffer of an input or constant, which lives as long as the plan.
Result<int> Planner::resident(ValueId id, const Wanted& wanted, int64_t bytes) {
  const auto [it, is_new] = residents_.try_emplace({id, wanted.text()}, 0);
  if (!is_new) {
    int64_t& size = plan_.buffers[static_cast<size_t>(it->second)];
    size = std::max(size, padded(bytes));
    return it->second;
  }
  const graph::Value& v = graph_.value(id);
  if (v.constant && !v.bytes)
    return Error{ErrorCode::kUnsupported, cat("the contents of the constant '", v.name, "' are not known")};
  HONE_ASSIGN(tensor, tensor_of(id, wanted, bytes));
  it->second = tensor.buffer;
  (v.constant ? plan_.constants : plan_.inputs).push_back(tensor);
  return tensor.buffer;
}

// A buffer, or −1 − i for pool_[i].
Result<int> Planner::read_handle(ValueId id, const Wanted& wanted, int64_t bytes, int step) {
  const ValueId at = home(id);
  const auto found = pooled_.find(at);
  const graph::Value& value = graph_.value(id);
  if (found == pooled_.end() && value.constant && value.bytes) return resident(id, wanted, bytes);
  if (wanted.halves)
    return Error{ErrorCode::kInternal, cat("a kernel wants the value '", value.name, "' as f16, which is no constant")};
  // A view of an input shows its elements in the same order, so the home's own layout serves both.
  if (found == pooled_.end())
    return resident(at, {at == id ? wanted.layout : steps_.layout[static_cast<size_t>(at)]}, bytes);
  graph::Tenant& tenant = pool_[static_cast<size_t>(found->second)].tenant;
  tenant.last = std::max(tenant.last, lasts_until(tenant.first, step));
  tenant.bytes = std::max(tenant.bytes, padded(bytes));
  return -1 - found->second;
}

int Planner::pool_handle(ValueId id, int64_t bytes, int step) {
  if (const auto found = id == graph::kNoValue ? pooled_.end() : pooled_.find(home(id)); found != pooled_.end()) {
    graph::Tenant& tenant = pool_[static_cast<size_t>(found->second)].tenant;
    tenant.last = std::max(tenant.last, lasts_until(tenant.first, step));
    tenant.bytes = std::max(tenant.bytes, padded(bytes));
    return -1 - found->second;
  }
  pool_.push_back({{padded(bytes), step, step}, id});
  const int index = static_cast<int>(pool_.size()) - 1;
  if (id != graph::kNoValue) pooled_[home(id)] = index;
  return -1 - index;
}

// What is written once has its place for as long as the plan.
void Planner::keep_what_is_ahead(const emit::KernelSource& source, const std::vector<int>& temps) {
  for (const emit::LaunchSource& launch : source.launches)
    for (const emit::Binding& b : launch.bindings) {
      if (!launch.ahead || !b.writes) continue;
      graph::Tenant& tenant = pool_[static_cast<size_t>(-1 - temps[static_cast<size_t>(b.position)])].tenant;
      tenant.first = 0;
      tenant.last = static_cast<int>(steps_.steps.size());
    }
}

int Planner::kernel_index(const emit::LaunchSource& source) {
  std::string key = source.code;
  PlanKernel kernel{source.code, {}, source.threads, source.scratch_bytes};
  for (const emit::Binding& b : source.bindings) {
    kernel.writes.push_back(b.writes);
    key += b.writes ? 'w' : 'r';
  }
  const auto [it, is_new] = kernels_.try_emplace(std::move(key), static_cast<int>(plan_.kernels.size()));
  if (is_new) plan_.kernels.push_back(std::move(kernel));
  return it->second;
}

Wanted wanted_of(const te::Task& task, const emit::KernelSource& source, size_t position) {
  for (const emit::ArgLayout& wanted : source.layouts)
    if (wanted.position == static_cast<int>(position)) return {wanted.layout, wanted.stored == ir::DType::kF16};
  return {task.args[position].layout};
}

Status Planner::add_step(const graph::Step& step, int index) {
  const te::Task& task = step.work.task;
  auto [it, is_new] = sources_.try_emplace(task.id);
  if (is_new) {
    auto made = kernel_of_(task);
    if (!made.ok()) return Error{made.error().code, cat(task.name, ": ", made.error().message)};
    it->second = std::move(*made);
    plan_.needs.insert(it->second.needs.begin(), it->second.needs.end());
  }
  const emit::KernelSource& source = it->second;
  plan_.steps.push_back({task.name, task.id, task.flops});
  const size_t inputs = step.work.inputs.size();
  std::vector<int64_t> declared(task.args.size(), 0);
  for (const emit::LaunchSource& launch : source.launches)
    for (const emit::Binding& b : launch.bindings)
      if (b.kind == emit::Binding::Kind::kArg)
        declared[static_cast<size_t>(b.position)] = std::max(declared[static_cast<size_t>(b.position)], b.bytes);
  std::vector<int> args, temps;
  for (size_t i = 0; i < inputs; i++) {
    HONE_ASSIGN(handle, read_handle(step.work.inputs[i], wanted_of(task, source, i), declared[i], index));
    args.push_back(handle);
  }
  for (size_t i = 0; i < step.work.outputs.size(); i++) {
    const ValueId id = step.work.outputs[i];
    const int64_t bytes = physical_bytes(graph_.value(id).shape, task.args[inputs + i].layout);
    args.push_back(pool_handle(id, std::max(bytes, declared[inputs + i]), index));
  }
  for (const emit::Temp& temp : source.temps) temps.push_back(pool_handle(graph::kNoValue, temp.bytes, index));
  keep_what_is_ahead(source, temps);
  for (const emit::LaunchSource& launch : source.launches) {
    PlanLaunch out{kernel_index(launch), launch.grid, {}, {}, index, launch.ahead};
    for (const emit::Binding& b : launch.bindings) {
      out.buffers.push_back((b.kind == emit::Binding::Kind::kArg ? args : temps)[static_cast<size_t>(b.position)]);
      HONE_TRY(note_texture(out.buffers.back(), b));
      out.binding_bytes.push_back(b.bytes);
    }
    plan_.launches.push_back(std::move(out));
  }
  return ok_status();
}

// The steps on upload come first among the graph's, and are none of the plan's.
void Planner::number_loops() {
  const auto uploads = std::count_if(steps_.steps.begin(), steps_.steps.end(), [](const graph::Step& step) { return step.on_upload; });
  for (graph::LoopRange& loop : steps_.loops) {
    loop.first -= static_cast<size_t>(uploads);
    loop.last -= static_cast<size_t>(uploads);
  }
}

// The host asks for a condition behind the last step of a trip.
void Planner::add_loops() {
  const auto launch_of = [&](size_t step) {
    const auto at = std::partition_point(plan_.launches.begin(), plan_.launches.end(), [&](const PlanLaunch& launch) { return launch.step < static_cast<int>(step); });
    return static_cast<int>(at - plan_.launches.begin());
  };
  for (const graph::LoopRange& loop : steps_.loops) {
    PlanLoop out{.first = launch_of(loop.first), .last = launch_of(loop.last), .trips = loop.trips};
    if (loop.condition != graph::kNoValue) {
      const int index = pooled_.at(loop.condition);
      graph::Tenant& tenant = pool_[static_cast<size_t>(index)].tenant;
      tenant.last = std::max(tenant.last, static_cast<int>(loop.last) - 1);
      out.condition = -1 - index;
    }
    plan_.loops.push_back(out);
  }
}

Status Planner::add_outputs() {
  const int end = static_cast<int>(plan_.steps.size());
  for (ValueId id : graph_.outputs) {
    const graph::Value& v = graph_.value(id);
    // What only the host knows lies as the model says.
    const bool computed = pooled_.count(home(id)) > 0 || !v.constant;
    const Wanted form{computed ? steps_.layout[static_cast<size_t>(id)] : ir::Layout{}};
    PlanTensor out{id, te::narrow_type(v.dtype), form.layout, 0, physical_bytes(v.shape, form.layout)};
    if (ir::size_bytes(out.stored) != kElementBytes)
      return Error{ErrorCode::kUnsupported, cat("the output '", v.name, "' has the type ", ir::dtype_name(v.dtype),
                                                ", which no device holds yet")};
    HONE_ASSIGN(handle, read_handle(id, form, out.bytes, end));
    out.buffer = handle;
    plan_.outputs.push_back(out);
  }
  return ok_status();
}

void Planner::place_pool() {
  std::vector<graph::Tenant> tenants;
  for (Pooled& p : pool_) {
    p.tenant.kind = kind_of(p.texture);
    tenants.push_back(p.tenant);
    plan_.memory.pool_bytes_unshared += p.tenant.bytes;
  }
  const graph::MemoryPlan memory = graph::plan_memory(tenants);
  const int first = static_cast<int>(plan_.buffers.size());
  for (int64_t bytes : memory.slot_bytes) add_buffer(bytes);
  for (size_t i = 0; i < pool_.size(); i++)
    plan_.textures[static_cast<size_t>(first + memory.slot_of[i])] = pool_[i].texture;
  const auto place = [&](int& handle) {
    if (handle < 0) handle = first + memory.slot_of[static_cast<size_t>(-1 - handle)];
  };
  for (PlanLaunch& launch : plan_.launches)
    for (int& handle : launch.buffers) place(handle);
  for (PlanTensor& output : plan_.outputs) place(output.buffer);
  for (PlanLoop& loop : plan_.loops)
    if (loop.condition) place(*loop.condition);
  plan_.memory.pool_bytes = memory.bytes;
  plan_.memory.pool_bytes_min = memory.bytes_min;
  for (const PlanTensor& t : plan_.constants)
    plan_.memory.constant_bytes += plan_.buffers[static_cast<size_t>(t.buffer)];
  for (const PlanTensor& t : plan_.inputs) plan_.memory.port_bytes += plan_.buffers[static_cast<size_t>(t.buffer)];
}

// What no kernel touches is copied as it is, in a texture of any form.
void Planner::give_textures() {
  constexpr int64_t kWidth = 1024;
  for (size_t i = 0; i < plan_.buffers.size(); i++) {
    if (plan_.textures[i].texture.width > 0) continue;
    const int64_t texels = plan_.buffers[i] / 16, width = std::min(texels, kWidth);
    plan_.textures[i].texture = {width, (texels + width - 1) / width, 1};
  }
}

// Steps on upload come first among the graph's, and are none of the plan's.
void Planner::place_model_nodes() {
  plan_.placements = graph::place_nodes(graph_, steps_);
  const size_t uploads = steps_.steps.size() - plan_.steps.size();
  for (graph::Placement& placement : plan_.placements) {
    auto& steps = placement.steps;
    steps.erase(std::remove_if(steps.begin(), steps.end(), [&](size_t step) { return step < uploads; }), steps.end());
    for (size_t& step : steps) step -= uploads;
  }
}

Result<ModelPlan> Planner::plan() {
  HONE_ASSIGN(steps, graph::steps_of(graph_, cancel_));
  steps_ = std::move(steps);
  number_loops();
  for (const graph::Step& step : steps_.steps) {
    HONE_TRY(check_cancel(cancel_));
    if (!step.on_upload) HONE_TRY(add_step(step, static_cast<int>(plan_.steps.size())));
    else if (boundary_ == Boundary::kPorts) enlarged_[step.work.outputs[0]] = step.work.inputs[0];
    else plan_.on_upload.push_back(step);
  }
  place_model_nodes();
  add_loops();
  HONE_TRY(add_outputs());
  place_pool();
  if (graph_.medium == ir::Medium::kTexture2D) give_textures();
  if (std::all_of(plan_.textures.begin(), plan_.textures.end(),
                  [](const PlanTexture& t) { return t.texture.width == 0; }))
    plan_.textures.clear();
  return std::move(plan_);
}

}  // namespace

Result<ModelPlan> plan_model(const Graph& graph, const KernelOf& kernel_of, const CancelToken* cancel,
                             Boundary boundary) {
  return Planner(graph, kernel_of, cancel, boundary).plan();
}

std::string constant_bytes(const Graph& graph, const PlanTensor& constant) {
  const graph::Value& v = graph.value(constant.value);
  return pack({v.dtype, v.shape, v.bytes}, constant.stored, constant.layout);
}

Result<std::vector<std::string>> pack_inputs(const Graph& graph, const ModelPlan& plan, const Tensors& inputs) {
  Tensors known = inputs;
  for (ValueId id : graph.inputs) {
    const graph::Value& v = graph.value(id);
    const auto given = known.find(id);
    if (given == known.end() && !v.constant)
      return Error{ErrorCode::kInvalidArgument, cat("the input '", v.name, "' is missing")};
    if (given != known.end() && (given->second.shape != v.shape || given->second.dtype != v.dtype))
      return Error{ErrorCode::kInvalidArgument,
                   cat("the input '", v.name, "' has another type or shape than the model says")};
  }
  for (const graph::Step& step : plan.on_upload) {
    std::vector<std::vector<double>> arguments;
    for (ValueId id : step.work.inputs) arguments.push_back(graph::to_doubles(known.at(id)));
    const auto results = te::evaluate(step.work.task.program, arguments);
    for (size_t i = 0; i < results.size(); i++) {
      const graph::Value& v = graph.value(step.work.outputs[i]);
      known[step.work.outputs[i]] = graph::from_doubles(v.dtype, v.shape, results[i]);
    }
  }
  std::vector<std::string> out;
  for (const PlanTensor& tensor : plan.inputs) {
    const graph::ConstantTensor& given = known.at(tensor.value);
    if (Status fits = check_range(given, tensor.stored); !fits.ok())
      return Error{fits.error().code, cat("the input '", graph.value(tensor.value).name, "': ", fits.error().message)};
    out.push_back(pack(given, tensor.stored, tensor.layout));
  }
  return out;
}

graph::ConstantTensor unpack_output(const Graph& graph, const PlanTensor& output, std::string_view physical) {
  const graph::Value& v = graph.value(output.value);
  return unpack(physical, output.stored, output.layout, v.dtype, v.shape);
}

}  // namespace hone::package
