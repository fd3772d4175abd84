// Writes a loop of a known number of trips (loops.h): what stands for an operator that runs along a sequence too long to be written out.
#pragma once
#include <vector>

#include "codegen/graph/node_writer.h"

namespace hone::graph {

class LoopWriter {
 public:
  // read: what all trips read. Where a loop around changes it, this one begins anew in each of that one's trips.
  LoopWriter(NodeWriter& nodes, ValueId read, int64_t trips);

  ValueId counter() const { return pairs_[0]; }  // [], i64: 0 in the first trip
  ValueId state(ValueId initial) { return nodes_.add("hone.LoopState", {initial, read_}); }
  void follow(ValueId state, ValueId next) { pairs_.insert(pairs_.end(), {state, next}); }
  // `parts` (a state) with `part`, whose extent along `axis` is 1, in the place `place` ([], i64) of `count` along it.
  ValueId put(ValueId parts, ValueId part, ValueId place, int64_t count, int64_t axis, size_t rank);
  // What the states that were followed are after the last trip, in that order.
  std::vector<ValueId> end();

 private:
  NodeWriter& nodes_;
  const ValueId read_;
  const int64_t trips_;
  std::vector<ValueId> pairs_;
};

}  // namespace hone::graph
