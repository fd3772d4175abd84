#include "codegen/package/plan_frames.h"

namespace hone::package {

namespace {

const char* format_of(ir::DType stored) {
  switch (stored) {
    case ir::DType::kI32:
      return "rgba32i";
    case ir::DType::kU32:
      return "rgba32ui";
    case ir::DType::kF16:
      return "rgba16f";
    default:
      return "rgba32f";
  }
}

protocol::PlanLoop loop_frame(const PlanLoop& loop) {
  protocol::PlanLoop out{.first = static_cast<uint32_t>(loop.first), .last = static_cast<uint32_t>(loop.last)};
  if (loop.condition) out.condition = static_cast<uint32_t>(*loop.condition);
  else out.trips = static_cast<uint64_t>(loop.trips);
  return out;
}

}  // namespace

protocol::PlanLaunch launch_frame(const PlanLaunch& launch) {
  protocol::PlanLaunch out{.kernel = static_cast<uint32_t>(launch.kernel)};
  for (size_t d = 0; d < out.grid.size(); d++) out.grid[d] = static_cast<uint32_t>(launch.grid[d]);
  if (launch.ahead) out.ahead = true;
  for (int buffer : launch.buffers) out.buffers.push_back(static_cast<uint32_t>(buffer));
  for (int64_t bytes : launch.binding_bytes) out.binding_bytes.push_back(static_cast<uint64_t>(bytes));
  return out;
}

std::optional<std::vector<protocol::PlanLoop>> loop_frames(const ModelPlan& plan) {
  if (plan.loops.empty()) return std::nullopt;
  std::vector<protocol::PlanLoop> out;
  for (const PlanLoop& loop : plan.loops) out.push_back(loop_frame(loop));
  return out;
}

protocol::Texture texture_frame(const ir::Texture& texture, ir::DType stored) {
  return {.width = static_cast<uint32_t>(texture.width),
          .height = static_cast<uint32_t>(texture.height),
          .layers = static_cast<uint32_t>(texture.layers),
          .format = format_of(stored)};
}

std::vector<std::array<int64_t, 3>> dims_frame(const ir::Layout& layout) {
  std::vector<std::array<int64_t, 3>> dims;
  for (const ir::PhysicalDim& dim : layout.dims) dims.push_back({dim.axis, dim.div, dim.size});
  return dims;
}

}  // namespace hone::package
