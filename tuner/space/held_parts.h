// Parts of a patch (patch.h), which its thread computes into its registers and reads at several places.
#pragma once
#include "tuner/space/root_nest.h"

namespace hone::tuner {

// Under the root's innermost loop; temporaries lie in the group's order.
void hold_parts(TraceBuilder& t, const Group& group, const Choices& choices, const RootNest& nest);

}  // namespace hone::tuner
