// From groups of nodes to tuning tasks.
#pragma once
#include "codegen/graph/fuse.h"
#include "codegen/graph/import.h"

namespace hone::graph {

struct GroupTask {
  te::Task task;
  std::vector<ValueId> inputs, outputs;  // the values that the task's program reads and writes, in its order
};

// Makes the tasks of a graph's groups. Both arguments outlive it; layouts: choose_layouts(graph).
class GroupTasks {
 public:
  GroupTasks(const Graph& graph, const Layouts& layouts)
      : graph_(graph), layouts_(layouts), consumers_(consumers_of(graph)), leaves_(marks_of(graph, graph.outputs)) {}
  // The task that computes the group: inputs in the order in which the definitions ask for them, outputs those values that others need. Of a loop's end one for
  // each state that another value follows, which is copied from there.
  Result<std::vector<GroupTask>> of(const Group& group) const;

 private:
  friend class GroupBuilder;
  const Graph& graph_;
  const Layouts& layouts_;
  std::vector<std::vector<int>> consumers_;
  std::vector<bool> leaves_;  // values that the graph hands out
};

// The distinct tasks of a graph whose shapes are known. Fails: unsupported when a task reads or writes other types than `stored_types`
// (empty: any), with the node; cancelled.
Result<ModelTasks> extract_tasks(const Graph& graph, const std::vector<ir::DType>& stored_types = {},
                                 const CancelToken* cancel = nullptr);

}  // namespace hone::graph
