#include "codegen/graph/evaluate_graph.h"

#include "base/cat.h"
#include "codegen/graph/choose_layouts.h"
#include "codegen/graph/extract_tasks.h"
#include "codegen/graph/loops.h"
#include "codegen/te/evaluate.h"

namespace hone::graph {
namespace {

// The elements of a value that is an input, a constant, or computed before.
Result<std::vector<double>> read(const Graph& graph, const ValueMap& known, ValueId id) {
  const auto it = known.find(id);
  if (it != known.end()) return it->second;
  const Value& v = graph.value(id);
  if (v.constant && v.bytes) return to_doubles({v.dtype, v.shape, v.bytes});
  return Error{ErrorCode::kInvalidArgument,
               cat("the value '", v.name, "' has no contents; expected an input of this name")};
}

class GraphEvaluation {
 public:
  GraphEvaluation(const Graph& graph, const ValueMap& inputs) : graph_(graph), layouts_(choose_layouts(graph)), tasks_(graph, layouts_), known_(inputs) {}

  Status run() {
    HONE_ASSIGN(groups, fuse(graph_, layouts_));
    std::vector<int> nodes;
    for (const Group& group : groups) nodes.push_back(group.nodes[0]);
    const Loops loops = loops_of(graph_);
    for (const Loop& loop : loops.loops)
      for (size_t i = 0; i < loop.finals.size(); i++) left_by_[loop.finals[i]] = loop.states[i];
    const auto holds = [this](ValueId condition) -> Result<bool> { return known_.at(condition)[0] != 0; };
    return run_in_loops(groups.size(), ranges_of(loops, nodes), [&](size_t i) { return run(groups[i]); }, holds);
  }
  Result<std::vector<double>> read(ValueId id) const {
    const auto left_by = left_by_.find(id);
    return graph::read(graph_, known_, left_by == left_by_.end() ? id : left_by->second);
  }

 private:
  Status run(const Group& group) {
    HONE_ASSIGN(made, tasks_.of(group));
    for (const GroupTask& work : made) HONE_TRY(run(work));
    return ok_status();
  }
  Status run(const GroupTask& work) {
    HONE_TRY(te::verify_te(work.task.program));
    std::vector<std::vector<double>> arguments;
    for (ValueId id : work.inputs) {
      HONE_ASSIGN(values, read(id));
      arguments.push_back(std::move(values));
    }
    auto results = te::evaluate(work.task.program, arguments);
    for (size_t i = 0; i < results.size(); i++) known_[work.outputs[i]] = std::move(results[i]);
    return ok_status();
  }

  const Graph& graph_;
  const Layouts layouts_;
  const GroupTasks tasks_;
  ValueMap known_;
  std::map<ValueId, ValueId> left_by_;  // of what a loop leaves: the state whose memory it is
};

}  // namespace

Result<std::vector<std::vector<double>>> evaluate_graph(const Graph& graph, const ValueMap& inputs) {
  GraphEvaluation evaluation(graph, inputs);
  HONE_TRY(evaluation.run());
  std::vector<std::vector<double>> out;
  for (ValueId id : graph.outputs) {
    HONE_ASSIGN(values, evaluation.read(id));
    out.push_back(std::move(values));
  }
  return out;
}

}  // namespace hone::graph
