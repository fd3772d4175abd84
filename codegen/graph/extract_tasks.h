// From groups of nodes to tuning tasks.
#pragma once
#include "codegen/graph/fuse.h"
#include "codegen/graph/import.h"

namespace hone::graph {

struct GroupTask {
  te::Task task;
  std::vector<ValueId> inputs, outputs;  // the values that the task's program reads and writes, in its order
};

// The task that computes one group: inputs in the order in which the definitions ask for them, outputs those values that others need.
Result<GroupTask> task_of_group(const Graph& graph, const Group& group, const std::vector<bool>& channels_last);
// The distinct tasks of a graph whose shapes are known. Fails: unsupported when a task reads or writes other types than `stored_types`
// (empty: any), with the node.
Result<ModelTasks> extract_tasks(const Graph& graph, const std::vector<ir::DType>& stored_types = {});

}  // namespace hone::graph
