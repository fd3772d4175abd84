// The runner's own small kernel, always the same work on all threads, so that its time shows the machine's drift and nothing else.
#pragma once
#include <cstdint>

#include "browser-agent/native/thread_team.h"

namespace hone::native {

// Nanoseconds (some 300 000) of the fastest of `runs`: a clock that falls makes all of them longer, a thread that is held up for a moment
// only one.
int64_t reference_ns(ThreadTeam& team, int runs);

}  // namespace hone::native
