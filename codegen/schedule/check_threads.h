// What the threads of a workgroup do together, they must all reach: copies into workgroup memory, and parts joined across threads.
#pragma once
#include <vector>

#include "base/result.h"
#include "codegen/schedule/schedule.h"

namespace hone::schedule {

// The loops around loop `position` of the stage, innermost first: its own, then its consumers' around where it is computed.
std::vector<const Loop*> loops_around(const Schedule& schedule, const Stage& stage, size_t position);

// Fails: illegal_schedule when a workgroup stage or a joining loop stands under a loop that some threads skip, under one that takes the same
// threads, inside a stage of workgroup scope, or where threads of another dimension would all do the same.
Status check_threads(const Schedule& schedule);

}  // namespace hone::schedule
