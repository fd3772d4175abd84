// A whole model by the references of its tasks, one after the other: what a device's outputs are compared with.
#pragma once
#include "codegen/package/model_plan.h"

namespace hone::reference {

// inputs: the graph's inputs in the model's types. Returns the model's outputs, in order, as long as they are (graph/overflow.h). Each task computes in f64 and hands f32 on.
// Needs: prepare_graph. Fails: as steps_of and emit::TaskReference; invalid_argument for a missing input; cancelled.
Result<std::vector<graph::ConstantTensor>> reference_run(const graph::Graph& graph, const package::Tensors& inputs,
                                                         const CancelToken* cancel = nullptr);

}  // namespace hone::reference
