#include "server/jobs/plan_frame.h"

#include "codegen/graph/overflow.h"
#include "codegen/package/plan_frames.h"

namespace hone::server {

namespace {

protocol::PlanUpload upload_frame(const package::PlanTensor& tensor, const BlobPtr& blob) {
  return {.buffer = static_cast<uint32_t>(tensor.buffer), .sha256 = blob->sha256, .bytes = blob->bytes.size()};
}

std::optional<std::vector<protocol::Texture>> texture_frames(const std::vector<package::PlanTexture>& textures) {
  if (textures.empty()) return std::nullopt;
  std::vector<protocol::Texture> frames;
  for (const package::PlanTexture& texture : textures)
    frames.push_back(package::texture_frame(texture.texture, texture.stored));
  return frames;
}

}  // namespace

template <class Frame>
Status fill_plan(Frame& frame, const graph::Graph& graph, const package::ModelPlan& plan, const package::Tensors& inputs, BlobStore& blobs, std::vector<BlobPtr>& held) {
  const auto put = [&](std::string bytes) {
    held.push_back(blobs.put(std::move(bytes)));
    return held.back();
  };
  for (int64_t bytes : plan.buffers) frame.buffers.push_back(static_cast<uint64_t>(bytes));
  frame.textures = texture_frames(plan.textures);
  for (const package::PlanKernel& kernel : plan.kernels) {
    const BlobPtr blob = put(kernel.code);
    frame.kernels.push_back({.sha256 = blob->sha256, .bytes = blob->bytes.size(), .writes = kernel.writes, .scratch_bytes = static_cast<uint32_t>(kernel.scratch_bytes)});
  }
  for (const package::PlanLaunch& launch : plan.launches) frame.launches.push_back(package::launch_frame(launch));
  frame.loops = package::loop_frames(plan);
  for (const package::PlanTensor& constant : plan.constants) frame.constants.push_back(upload_frame(constant, put(package::constant_bytes(graph, constant))));
  HONE_ASSIGN(packed, package::pack_inputs(graph, plan, inputs));
  for (size_t i = 0; i < packed.size(); i++) frame.inputs.push_back(upload_frame(plan.inputs[i], put(std::move(packed[i]))));
  for (const package::PlanTensor& output : plan.outputs)
    frame.outputs.push_back({.buffer = static_cast<uint32_t>(output.buffer), .bytes = static_cast<uint64_t>(output.bytes)});
  return ok_status();
}

Result<std::vector<graph::ConstantTensor>> outputs_of(const graph::Graph& graph, const package::ModelPlan& plan,
                                                      std::string_view bytes) {
  std::vector<graph::ConstantTensor> outputs;
  for (const package::PlanTensor& output : plan.outputs) {
    outputs.push_back(package::unpack_output(graph, output, bytes.substr(0, static_cast<size_t>(output.bytes))));
    bytes.remove_prefix(static_cast<size_t>(output.bytes));
  }
  return graph::own_outputs(graph, std::move(outputs));
}

template Status fill_plan(protocol::Execute&, const graph::Graph&, const package::ModelPlan&, const package::Tensors&, BlobStore&, std::vector<BlobPtr>&);
template Status fill_plan(protocol::RivalPlan&, const graph::Graph&, const package::ModelPlan&, const package::Tensors&, BlobStore&, std::vector<BlobPtr>&);

}  // namespace hone::server
