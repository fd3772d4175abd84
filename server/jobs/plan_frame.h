// A plan as an agent executes it: its numbers in a frame, its bytes as blobs that the agent fetches.
#pragma once
#include <string_view>
#include <vector>

#include "codegen/package/model_plan.h"
#include "schema/generated/protocol.h"
#include "server/compile/blob_store.h"

namespace hone::server {

// `inputs` has all inputs of the graph. The blobs are appended to `held`, and are there as long as somebody holds them. Frame: protocol::Execute or protocol::RivalPlan; what concerns
// timing is left as it is.
template <class Frame>
Status fill_plan(Frame& frame, const graph::Graph& graph, const package::ModelPlan& plan, const package::Tensors& inputs, BlobStore& blobs, std::vector<BlobPtr>& held);

// What the plan's outputs are, from the bytes that an agent sent; further bytes may follow. Fails: as unpack_output and own_outputs.
Result<std::vector<graph::ConstantTensor>> outputs_of(const graph::Graph& graph, const package::ModelPlan& plan, std::string_view bytes);

}  // namespace hone::server
