// The rules that turn choices into steps. Each asks the schedule what a stage looks like and knows no operator.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tuner/space/choices.h"
#include "tuner/space/sketch.h"
#include "tuner/space/trace_builder.h"

namespace hone::tuner {

// The tile rule: a reduction with reuse and its epilogue. Per thread `rows` rows × `vectors` vectors of `lanes` columns, the vectors a workgroup's width
// apart; the reduction takes `k_lanes` steps of its k axis at once. On cores there is one thread; the tiles are its iterations. On textures a fragment
// has `rows` rows × `vectors` texels of 4 lanes.
void apply_tile(TraceBuilder& t, const Group& group, const Choices& choices);

// The pointwise rule: Maps, and reductions without reuse with their epilogue. One thread computes `vectors` vectors of `lanes` elements, a
// workgroup's width apart; threads run along the innermost axis first. On cores the threads are steps of one iteration.
void apply_line(TraceBuilder& t, const Group& group, const Choices& choices);
// The same for a producer that becomes a launch of its own.
void apply_line_map(TraceBuilder& t, int compute, const std::vector<int>& order, const Choices& choices);

// The row rule: the reductions of a row and what reads them, in one launch. `lane_threads` threads with vectors of `lanes` elements share a row, `row_threads`
// rows share a workgroup. On cores a row has one thread, which takes `vectors` vectors at once, and the rows are one iteration. On textures each
// fragment, of several rows, reduces them anew, `k_lanes` elements at once.
void apply_row(TraceBuilder& t, const Group& group, const Choices& choices);

// The patch rule: neighbours that share what was computed for them (patch.h). A patch for each thread, with vectors of `lanes` along the lanes; on cores
// the patches are iterations. Temporaries lie in the group's order.
void apply_patch(TraceBuilder& t, const Group& group, const Choices& choices);

// Refuses what the device's limits or the budgets of registers and code do not bear. After all rules.
void prune(TraceBuilder& t);

}  // namespace hone::tuner
