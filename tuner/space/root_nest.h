// The loops of a stage that writes a group's output: its axes as blocks, rows and lanes, each cut into the target's levels (target/levels.h).
#pragma once
#include <string>
#include <vector>

#include "tuner/space/choices.h"
#include "tuner/space/sketch.h"
#include "tuner/space/trace_builder.h"

namespace hone::tuner {

struct RootNest {
  std::string rows, lanes;  // each direction's loop before it is cut: an axis, or several fused; "": no axis
  std::string around;       // the innermost loop around what one thread, fragment or tile computes; "": there is no loop
  std::string around_row;   // the innermost of the rows'; under it lies what a group's row computes together
  std::string core;         // that the cores share
  std::string items;        // the lanes'
  std::string vector;       // "": none
  std::vector<std::string> unrolled;
};

// slice: the stage's axis of the slices of k, outermost of its blocks; -1: none. An axis with a patch leaves it to each thread, unrolled.
RootNest arrange_root(TraceBuilder& t, const std::string& stage, const Group& group, const Choices& choices, int slice = -1);

// Unrolls and vectorizes: after all that is attached to the stage.
void annotate_root(TraceBuilder& t, const std::string& stage, const RootNest& nest);

}  // namespace hone::tuner
