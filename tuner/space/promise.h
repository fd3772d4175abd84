// What choices promise before anything is measured: work per load, less what tiles waste, less what too few threads leave idle. It only orders choices
// of one task; its unit means nothing.
#pragma once
#include "tuner/space/choices.h"
#include "tuner/space/group_view.h"

namespace hone::tuner {

double promise_of(const GroupView& view, const Choices& choices);

}  // namespace hone::tuner
