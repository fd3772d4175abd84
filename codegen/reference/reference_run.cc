#include "codegen/reference/reference_run.h"

#include "base/cat.h"
#include "codegen/emit/llvm/task_reference.h"
#include "codegen/graph/overflow.h"
#include "codegen/package/pack_tensor.h"
#include "codegen/te/narrow.h"

namespace hone::reference {

using graph::ValueId;

namespace {

// Elements of a value, row-major, in the narrow type in which tasks see it.
using Elements = std::map<ValueId, std::string>;

class ReferenceRun {
 public:
  ReferenceRun(const graph::Graph& graph, const graph::ModelSteps& steps, const CancelToken* cancel)
      : graph_(graph), steps_(steps), cancel_(cancel), last_readers_(graph.values.size(), 0) {
    for (size_t i = 0; i < steps.steps.size(); i++) note(steps.steps[i], i);
    for (const graph::LoopRange& loop : steps.loops)
      if (loop.condition != graph::kNoValue) last_readers_[static_cast<size_t>(loop.condition)] = steps.steps.size();
    for (ValueId id : graph.outputs) last_readers_[static_cast<size_t>(home(id))] = steps.steps.size();
  }

  void give(ValueId id, const graph::ConstantTensor& tensor) {
    known_[id] = *package::converted(tensor, te::narrow_type(tensor.dtype)).bytes;
  }

  Result<std::string> read(ValueId id) {
    const auto found = known_.find(home(id));
    if (found != known_.end()) return shown(found->second, id);
    const graph::Value& v = graph_.value(home(id));
    if (!v.constant || !v.bytes) return Error{ErrorCode::kInvalidArgument, cat("the input '", v.name, "' is missing")};
    return std::string(*package::converted({v.dtype, v.shape, v.bytes}, te::narrow_type(v.dtype)).bytes);
  }

  // A view shows its home's memory: its own order is another one where either does not lie row-major.
  std::string shown(const std::string& elements, ValueId id) const {
    const auto layout = [this](ValueId of) -> const ir::Layout& { return steps_.layout[static_cast<size_t>(of)]; };
    const ValueId from = home(id);
    if (from == id || (layout(from).row_major() && layout(id).row_major())) return elements;
    return package::from_physical(package::to_physical(elements, graph_.value(from).shape, layout(from)),
                                  graph_.value(id).shape, layout(id));
  }

  // Drops what no later step reads: a model's reference takes what lives at once, not the sum of its values.
  void forget_read_by(size_t index) {
    const graph::Step& step = steps_.steps[index];
    for (const auto* list : {&step.work.inputs, &step.work.outputs})
      for (ValueId id : *list)
        if (last_readers_[static_cast<size_t>(home(id))] <= index) known_.erase(home(id));
  }

  Status run(const graph::Step& step) {
    auto found = references_.find(step.work.task.id);
    if (found == references_.end()) {
      HONE_ASSIGN(made, emit::TaskReference::create(step.work.task));
      found = references_.emplace(step.work.task.id, std::move(made)).first;
    }
    std::vector<std::string> inputs;
    for (ValueId id : step.work.inputs) {
      HONE_ASSIGN(elements, read(id));
      inputs.push_back(std::move(elements));
    }
    HONE_ASSIGN(outputs, found->second.run(inputs, cancel_));
    for (size_t i = 0; i < outputs.size(); i++) known_[step.work.outputs[i]] = std::move(outputs[i]);
    return ok_status();
  }

  // All of them. Fails: cancelled.
  Status run() {
    const auto one = [this](size_t i) -> Status {
      HONE_TRY(check_cancel(cancel_));
      HONE_TRY(run(steps_.steps[i]));
      forget_read_by(i);
      return ok_status();
    };
    const auto holds = [this](ValueId condition) -> Result<bool> {
      HONE_TRY(check_cancel(cancel_));
      return known_.at(condition).find_first_not_of('\0') != std::string::npos;
    };
    return graph::run_in_loops(steps_.steps.size(), steps_.loops, one, holds);
  }

  Result<graph::ConstantTensor> output(ValueId id) {
    HONE_ASSIGN(elements, read(id));
    const graph::Value& v = graph_.value(id);
    return package::converted(
        {te::narrow_type(v.dtype), v.shape, shared_bytes(std::move(elements))}, v.dtype);
  }

 private:
  ValueId home(ValueId id) const { return steps_.home[static_cast<size_t>(id)]; }

  // What is read in a loop that began behind its writing is read in later trips, too.
  void note(const graph::Step& step, size_t index) {
    for (ValueId id : step.work.inputs) {
      const auto written = written_.find(home(id));
      const size_t until = graph::lasts_until(steps_, written == written_.end() ? 0 : written->second, index);
      size_t& last = last_readers_[static_cast<size_t>(home(id))];
      last = std::max(last, until == index ? index : until + 1);
    }
    for (ValueId id : step.work.outputs) written_.try_emplace(home(id), index);
  }

  const graph::Graph& graph_;
  const graph::ModelSteps& steps_;
  const CancelToken* cancel_;
  std::map<ValueId, size_t> written_;  // by home: the first step that does
  std::vector<size_t> last_readers_;  // by home: the step, or behind the last one for what the graph hands out
  Elements known_;
  std::map<Hash, emit::TaskReference> references_;
};

}  // namespace

Result<std::vector<graph::ConstantTensor>> reference_run(const graph::Graph& graph, const package::Tensors& inputs,
                                                         const CancelToken* cancel) {
  HONE_ASSIGN(steps, graph::steps_of(graph, cancel));
  ReferenceRun run(graph, steps, cancel);
  for (const auto& [id, tensor] : inputs) run.give(id, tensor);
  HONE_TRY(run.run());
  std::vector<graph::ConstantTensor> out;
  for (ValueId id : graph.outputs) {
    HONE_ASSIGN(tensor, run.output(id));
    out.push_back(std::move(tensor));
  }
  return graph::own_outputs(graph, std::move(out));
}

}  // namespace hone::reference
