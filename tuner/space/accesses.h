// Accesses: what a group's stage reads, and how each tensor lies along the group's directions: the access matrix of which costs are estimated.
#pragma once
#include <vector>

#include "tuner/space/operations.h"
#include "tuner/space/sketch.h"

namespace hone::tuner {

// Neighbours along an axis of the output read at one tap of a window what others read at another one: they and the taps move one index, by `step` and
// `tap_step`. taps: of the axis of the reduction; depth: how many such axes lie inside of it, those of one step aside; taps 1: they do not meet.
struct Meeting {
  int64_t step = 1, tap_step = 1, taps = 1, depth = 0;
};
// Of the reads of so many neighbours at all these taps, the share that differ.
double distinct_share(const Meeting& meeting, double neighbours);

struct Access {
  bool by_lanes = false, by_rows = false;           // does its index depend on them?
  bool runs_along_lanes = false, runs_along_k = false;  // element by element in its innermost dimension
  bool is_aligned = false;                          // along the lanes: each group of four begins at a multiple of four
  bool is_free = false;                             // its layout may be chosen
  int producer = -1;                                // of the sketch, whose value it is
  Operations operations;                            // that compute one of its elements where that producer is inlined
  Meeting rows, lanes;                              // of the innermost row axis, and of the lane axis
};

// What a group does, apart from how it is scheduled.
struct GroupWork {
  std::vector<Access> accesses;  // of the reduction, or of the root where there is none, in the order of its expression; scalars are none
  Operations operations;         // of an element, or a step
  Operations kept_operations;    // of what a row may keep (row_chain.h), of an element
};

// Linear in the expressions.
GroupWork work_of(const te::Task& task, const Sketch& sketch, const Group& group);

}  // namespace hone::tuner
