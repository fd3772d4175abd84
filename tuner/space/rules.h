// The rules that turn choices into steps. Each asks the schedule what a stage looks like and knows no operator.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tuner/space/choices.h"
#include "tuner/space/sketch.h"
#include "tuner/space/trace_builder.h"

namespace hone::tuner {

// The nest rule: a stage that writes, cut into the target's levels (root_nest.h), and the reduction that accumulates under it. Per thread `rows` rows ×
// `vectors` vectors of `lanes` columns, the vectors a workgroup's width apart; where steps of the reduction share what is read it takes `k_lanes` of
// them at once. On cores the tiles of one thread are an iteration. On textures a fragment has `rows` rows × `vectors` texels of 4 lanes. Of a patch each thread
// computes all (patch.h).
void apply_nest(TraceBuilder& t, const Group& group, const Choices& choices);

// The row rule: the reductions of a row and what reads them, in one launch. `lane_threads` threads with vectors of `lanes` elements share a row, `row_threads`
// rows share a workgroup. On cores a row has one thread, which takes `vectors` vectors at once, and `row_blocks` rows are one iteration. On textures each
// fragment, of several rows, reduces them anew, `k_lanes` elements at once.
void apply_row(TraceBuilder& t, const Group& group, const Choices& choices);

// The rule of terms in order (te/terms.h): the reduction, each term of which goes to its element, or which are running sums. A launch of its own; the group's Maps behind it are
// not in it. Per thread a line of terms, and `vectors` vectors of `lanes` elements where they lie across the lines.
void apply_ordered(TraceBuilder& t, const Group& group, const Choices& choices);

// Refuses what the device's limits or the budgets of registers and code do not bear. After all rules. Returns the straight-line statements of all launches.
int64_t prune(TraceBuilder& t);

}  // namespace hone::tuner
