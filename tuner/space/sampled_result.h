// Are a space's schedules with one decision's value right? For tests.
#pragma once
#include <functional>
#include <iostream>
#include <map>
#include <string>

#include "base/cat.h"
#include "base/check.h"
#include "codegen/kernel_oracle.h"
#include "codegen/lower/pipeline.h"
#include "tuner/space/space.h"

namespace hone::tuner {

inline constexpr int kSamples = 12;

// Samples in which the decision has the value `wanted`: all that lower must be right. How many of them were, and did what `does` looks for.
inline int right_with(const te::Task& task, const target::Target& target, const std::string& key,
                      const std::function<bool(const schedule::Trace&)>& does, int64_t wanted = 1) {
  auto space = Space::derive(task, target);
  CHECK(space.ok(), "every task has a space");
  const Oracle oracle(task);
  Rng rng(11);
  int right = 0;
  std::map<std::string, int> refused;
  for (int i = 0; i < 40 * kSamples && right < kSamples; ++i) {
    const Assignment a = space->sample(rng);
    if (space->value(a, key, 0) != wanted) continue;
    const auto trace = space->trace(a);
    if (!trace.ok()) ++refused[trace.error().message];
    if (!trace.ok() || !does(*trace)) continue;
    const auto kernel = lower::lower_kernel(task, *trace, target);
    if (!kernel.ok()) ++refused[kernel.error().message];
    if (!kernel.ok()) continue;
    const std::string wrong = difference(task, oracle, *kernel);
    CHECK(wrong.empty(), cat(wrong, "\n", space->text(a), "\n", schedule::trace_to_json(*trace)));
    ++right;
  }
  for (const auto& [reason, count] : refused) std::cout << "  refused " << count << ": " << reason << "\n";
  return right;
}

inline bool has_decision(const te::Task& task, const target::Target& target, const std::string& key) {
  const auto space = Space::derive(task, target);
  return space->text(space->assignment({})).find(key + "=") != std::string::npos;
}

}  // namespace hone::tuner
