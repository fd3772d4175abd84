#include "tuner/search/strategy.h"

namespace hone::tuner {

Hash identity(const schedule::Trace& trace) {
  schedule::Trace bare = trace;
  bare.sketch.clear();
  for (schedule::Step& step : bare.steps) step.decision.clear();
  return hash_bytes(trace_to_json(bare));
}

}  // namespace hone::tuner
