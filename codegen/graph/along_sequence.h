// What runs along a sequence, place after place, each reading the states that the one before left. Places are written out as nodes; of a longer sequence
// those of one block are, which a loop (loops.h) repeats, and those that are left behind the last block.
#pragma once
#include <functional>
#include <vector>

#include "codegen/graph/node_writer.h"

namespace hone::graph {

struct Sequence {
  ValueId value = kNoValue;
  Shape shape;
};

// Some places, next to each other, to be written out.
struct Places {
  int64_t count = 0;
  std::vector<ValueId> reads;   // of each sequence what lies at these places
  ValueId first = kNoValue;     // [], i64: the number of the first of them, unless that is 0
  std::vector<ValueId> states;  // before the place that runs first
};
struct Walked {
  ValueId y = kNoValue;         // the results of these places, along the axis, in the order of the places; kNoValue if nobody reads them
  std::vector<ValueId> states;  // after the place that ran last
};

struct Walk {
  std::vector<Sequence> reads;  // at least one
  std::vector<ValueId> states;  // before
  int64_t axis = 0, places = 0;  // of every sequence; at least one place
  bool from_end = false;        // the last place runs first
  DType dtype = DType::kF32;    // of the results
  Shape y;                      // their shape; empty: nobody reads them
  int64_t block = 0;            // places that are written out: kPlacesWritten
};
// write_out is called for the places of a trip and for those behind them, or once; it adds their nodes.
Walked walk(NodeWriter& nodes, const Walk& walk, const std::function<Walked(const Places&)>& write_out);

}  // namespace hone::graph
