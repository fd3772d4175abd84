// The loops of a root stage on textures, as its output's layout asks for: a fragment for each texel of a layer, a render target for each
// layer, a vector for the 4 numbers of a texel.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "codegen/schedule/schedule.h"

namespace hone::schedule {

struct FragmentNest {
  std::vector<Step> steps;      // for a stage with one serial loop per axis
  std::string at;               // the innermost loop around a fragment: what a fragment computes hangs under it
  std::string layer, lane;      // the loops bound to targets and to lanes; empty where there is none
  ir::Var lane_axis = nullptr;  // the stage's axis of which `lane` is the innermost part; null without one
};

// layout: of the stage's output, in whole texels, no axis of it split where the stage has no axis for it. Needs: a target on textures.
// Fails: limit_exceeded where no texture holds the output.
Result<FragmentNest> fragment_nest(const Schedule& schedule, const std::string& stage, const ir::Layout& layout);

}  // namespace hone::schedule
