// Accesses: what a group's stage reads, and how each tensor lies along the group's directions: the access matrix of which costs are estimated.
#pragma once
#include <vector>

#include "tuner/space/sketch.h"

namespace hone::tuner {

struct Access {
  bool by_lanes = false, by_rows = false;           // does its index depend on them?
  bool runs_along_lanes = false, runs_along_k = false;  // element by element in its innermost dimension
  bool is_aligned = false;                          // along the lanes: each group of four begins at a multiple of four
  bool is_free = false;                             // its layout may be chosen
  int producer = -1;                                // of the sketch, whose value it is
  double operations = 0;                            // that compute one of its elements where that producer is inlined
};

// What a group does, apart from how it is scheduled. Arithmetic is in operations on floats; one on whole numbers, of which a vector needs one where it needs
// four of floats, is a quarter.
struct GroupWork {
  std::vector<Access> accesses;  // of the reduction, or of the root where there is none, in the order of its expression; scalars are none
  double operations = 0;         // of an element, or a step
  double kept_operations = 0;    // of what a row may keep (row_chain.h), of an element
};

// Linear in the expressions.
GroupWork work_of(const te::Task& task, const Sketch& sketch, const Group& group);

}  // namespace hone::tuner
