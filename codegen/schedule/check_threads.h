// What the threads of a workgroup do together, they must all reach: copies into workgroup memory, parts joined across threads, and what lanes
// have from each other.
#pragma once
#include <vector>

#include "base/result.h"
#include "codegen/schedule/schedule.h"

namespace hone::schedule {

// The loops around loop `position` of the stage, innermost first: its own, then its consumers' around where it is computed.
std::vector<const Loop*> loops_around(const Schedule& schedule, const Stage& stage, size_t position);
// The one of them that is bound to the place; null if none.
const Loop* bound_to(const std::vector<const Loop*>& loops, Place place);

// Fails: illegal_schedule when a workgroup stage or a joining loop stands under a loop that some threads skip, under one that takes the same
// threads, inside a stage of workgroup scope, or where threads of another dimension would all do the same; and where a stage is spread over
// lanes of several subgroups, or over such as read different parts of it.
Status check_threads(const Schedule& schedule);

}  // namespace hone::schedule
