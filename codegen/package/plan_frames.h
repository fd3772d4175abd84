// Parts of a plan as devices are told of them, in `execute` frames and in packages.
#pragma once
#include <array>
#include <vector>

#include "codegen/package/model_plan.h"
#include "schema/generated/protocol.h"

namespace hone::package {

protocol::PlanLaunch launch_frame(const PlanLaunch& launch);
// The plan's; absent where it has none.
std::optional<std::vector<protocol::PlanLoop>> loop_frames(const ModelPlan& plan);
// stored: the type of its numbers (emit::texel_type).
protocol::Texture texture_frame(const ir::Texture& texture, ir::DType stored);
// [axis, div, size] of each physical dimension, outermost first.
std::vector<std::array<int64_t, 3>> dims_frame(const ir::Layout& layout);

}  // namespace hone::package
