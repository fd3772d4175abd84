// What a Loop begins with, for those who write its trips out and those who let a run count them.
#pragma once
#include <vector>

#include "codegen/graph/onnx_import_nodes.h"

namespace hone::graph {

struct NodeImporter::LoopState {
  int64_t trips = INT64_MAX;       // at most
  ValueId trips_value = kNoValue;  // the number of trips, where a run tells it
  Meaning condition;
  std::vector<Meaning> carried;
  std::vector<std::vector<ValueId>> collected;  // of each output that is stacked, trip by trip
  int64_t certain = 0;             // trips that run in any case
  std::vector<ValueId> uncertain;  // of each further one, whether it runs
  bool has_no_end = false;         // a run tells whether there is another trip, and nothing else ends the loop
};

}  // namespace hone::graph
