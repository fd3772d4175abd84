#include "tests/wasm/core_trace.h"

#include "codegen/random_trace.h"
#include "codegen/schedule/schedule.h"

namespace hone {

schedule::Trace random_core_trace(const te::Task& task, const target::Target& target, Rng& rng) {
  schedule::Trace trace = random_legal_trace(task, target, rng, 8 + static_cast<int>(rng.below(16)));
  auto schedule = schedule::apply_trace(task, trace, target);
  CHECK(schedule.ok(), "a legal trace applies");
  for (const schedule::Stage& stage : (*schedule)->stages()) {
    if (!stage.root() || stage.inlined) continue;
    for (const schedule::Loop& loop : stage.order) {
      trace.steps.push_back(schedule::bind(stage.name, loop.name, "core"));
      auto bound = schedule::apply_trace(task, trace, target);
      if (bound.ok() && schedule::check_complete(**bound).ok()) break;
      trace.steps.pop_back();
    }
  }
  return trace;
}

}  // namespace hone
