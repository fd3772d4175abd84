#include "codegen/graph/extract_tasks.h"

#include <algorithm>
#include <unordered_map>

#include "base/cat.h"
#include "codegen/graph/choose_layouts.h"
#include "codegen/graph/loops.h"
#include "codegen/graph/op_table.h"
#include "codegen/te/narrow.h"
#include "codegen/te/ops/broadcast.h"

namespace hone::graph {

// Builds the program of one group.
class GroupBuilder {
 public:
  GroupBuilder(const GroupTasks& tasks, const Group& group) : tasks_(tasks), graph_(tasks.graph_), group_(group) {}
  Result<GroupTask> build();
  // `to` has the shape and type of `from`.
  Result<GroupTask> build_copy(ValueId from, ValueId to);

 private:
  GroupTask finish();
  Status emit_nodes();
  te::Tensor resolve(ValueId id, std::string_view name);
  void declare_outputs();
  void narrow_programs(te::Task& task);
  te::Arg arg_of(ValueId id, te::Tensor tensor, te::Role role) const;
  std::string describe(const OpCall& call) const;

  const GroupTasks& tasks_;
  const Graph& graph_;
  const Group& group_;
  te::Builder builder_;
  std::unordered_map<ValueId, te::Tensor> tensors_;  // of the program as the operators wrote it
  std::vector<ValueId> inputs_, outputs_;
  std::string name_;
};

te::Tensor GroupBuilder::resolve(ValueId id, std::string_view name) {
  auto it = tensors_.find(id);
  if (it != tensors_.end()) return it->second;
  const Value& value = graph_.value(id);
  inputs_.push_back(id);
  return tensors_[id] = builder_.input(name, value.dtype, value.shape, value.constant);
}

std::string GroupBuilder::describe(const OpCall& call) const {
  const OpEntry* entry = find_op(call.node.op);
  std::string shapes;
  if (entry->describe) {
    shapes = entry->describe(call);
  } else {
    for (size_t i = 0; i < call.node.inputs.size(); i++)
      if (call.has_input(i) && !call.scalar(i))
        shapes += cat(shapes.empty() ? "" : ",", te::shape_text(call.value(i).shape));
  }
  return cat(entry->text, " ", shapes);
}

Status GroupBuilder::emit_nodes() {
  for (int index : group_.nodes) {
    const Node& node = graph_.nodes[static_cast<size_t>(index)];
    const OpCall call(builder_, graph_, node, [this](ValueId id, std::string_view name) { return resolve(id, name); });
    HONE_ASSIGN(made, emit_op(call));
    for (size_t i = 0; i < node.outputs.size() && i < made.size(); i++)
      if (node.outputs[i] != kNoValue) tensors_[node.outputs[i]] = made[i];
    name_ += name_.empty() ? describe(call) : cat(" + ", find_op(node.op)->text);
  }
  return ok_status();
}

void GroupBuilder::declare_outputs() {
  const auto inside = [&](int node) {
    return std::find(group_.nodes.begin(), group_.nodes.end(), node) != group_.nodes.end();
  };
  for (int index : group_.nodes)
    for (ValueId id : graph_.nodes[static_cast<size_t>(index)].outputs) {
      if (id == kNoValue) continue;
      const auto& readers = tasks_.consumers_[static_cast<size_t>(id)];
      const bool leaves = readers.empty() || tasks_.leaves_[static_cast<size_t>(id)] ||
                          !std::all_of(readers.begin(), readers.end(), inside);
      if (leaves) outputs_.push_back(id);
    }
  for (ValueId id : outputs_) builder_.output(tensors_[id]);
}

te::Arg GroupBuilder::arg_of(ValueId id, te::Tensor tensor, te::Role role) const {
  const bool outer_last = !outputs_.empty() && tasks_.layouts_.channels_last[static_cast<size_t>(outputs_.back())];
  if (role == te::Role::kConstant) return {role, constant_layout(builder_.program(), tensor, outer_last), true};
  return {role, layout_of(graph_, id, tasks_.layouts_)};
}

void GroupBuilder::narrow_programs(te::Task& task) {
  task.alternatives = builder_.alternatives();
  te::NarrowTensors narrow;
  task.program = te::narrow_types(builder_.take(), narrow);
  for (te::Alternative& other : task.alternatives) other.program = te::narrow_types(std::move(other.program), narrow);
}

GroupTask GroupBuilder::finish() {
  te::Task task;
  for (ValueId id : inputs_)
    task.args.push_back(
        arg_of(id, tensors_[id], graph_.value(id).constant ? te::Role::kConstant : te::Role::kActivation));
  for (ValueId id : outputs_) task.args.push_back(arg_of(id, tensors_[id], te::Role::kOutput));
  task.name = name_;
  narrow_programs(task);
  te::finish_task(task);
  for (int index : group_.nodes) task.flops -= graph_.nodes[static_cast<size_t>(index)].padding_flops;
  return {std::move(task), std::move(inputs_), std::move(outputs_)};
}

Result<GroupTask> GroupBuilder::build() {
  HONE_TRY(emit_nodes());
  declare_outputs();
  return finish();
}

Result<GroupTask> GroupBuilder::build_copy(ValueId from, ValueId to) {
  name_ = cat("copy ", te::shape_text(graph_.value(from).shape));
  tensors_[to] = te::unary(builder_, "copy", resolve(from, "X"), [](te::Sym x) { return x; });
  outputs_ = {to};
  builder_.output(tensors_[to]);
  return finish();
}

Result<std::vector<GroupTask>> GroupTasks::of(const Group& group) const {
  const Node& node = graph_.nodes[static_cast<size_t>(group.nodes[0])];
  std::vector<GroupTask> made;
  for (size_t i = 0; is_loop_end(node) && i < node.inputs.size(); i += 2) {
    if (node.inputs[i + 1] == node.inputs[i]) continue;
    HONE_ASSIGN(copy, GroupBuilder(*this, group).build_copy(node.inputs[i + 1], node.inputs[i]));
    made.push_back(std::move(copy));
  }
  if (is_loop_end(node)) return made;
  HONE_ASSIGN(task, GroupBuilder(*this, group).build());
  made.push_back(std::move(task));
  return made;
}

namespace {

Status check_types(const Graph& graph, const Group& group, const GroupTask& made,
                   const std::vector<ir::DType>& stored) {
  if (stored.empty()) return ok_status();
  std::string names;
  for (ir::DType d : stored) names += cat(names.empty() ? "" : ", ", ir::dtype_name(d));
  const te::Program& program = made.task.program;
  for (const auto* tensors : {&program.inputs, &program.outputs})
    for (te::Tensor t : *tensors)
      if (std::find(stored.begin(), stored.end(), t->dtype) == stored.end())
        return Error{ErrorCode::kUnsupported,
                     cat(node_text(graph, graph.nodes[static_cast<size_t>(group.nodes[0])]), ": its tensor ", t->name,
                         " has element type ", ir::dtype_name(t->dtype), "; kernels of this target store ", names)};
  return ok_status();
}

}  // namespace

Result<ModelTasks> extract_tasks(const Graph& graph, const std::vector<ir::DType>& stored_types,
                                 const CancelToken* cancel) {
  ModelTasks out;
  out.model_name = graph.name;
  const Layouts layouts = choose_layouts(graph);
  const GroupTasks tasks(graph, layouts);
  HONE_ASSIGN(groups, fuse(graph, layouts, cancel));
  std::unordered_map<Hash, size_t, HashHasher> places;
  for (const Group& group : groups) {
    HONE_TRY(check_cancel(cancel));
    if (group.free) continue;
    HONE_ASSIGN(all, tasks.of(group));
    for (GroupTask& made : all) {
      HONE_TRY(check_types(graph, group, made, stored_types));
      const auto [place, is_new] = places.try_emplace(made.task.id, out.tasks.size());
      if (is_new) {
        out.tasks.push_back(std::move(made.task));
        out.weights.push_back(0);
      }
      out.weights[place->second] += 1;
    }
  }
  return out;
}

}  // namespace hone::graph
