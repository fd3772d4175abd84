// The course of a search over a recording: the real loop, strategy and records, with the recording as device. No threads but the
// executor's, no clock.
#pragma once
#include <vector>

#include "base/result.h"
#include "codegen/te/task.h"
#include "tuner/measure/recording.h"
#include "tuner/records/store.h"
#include "tuner/search/executor.h"
#include "tuner/search/planner.h"
#include "tuner/space/space.h"

namespace hone::tuner {

// The declared sub-space of a recording's task, on what every device of its target has. Fails as Space::derive and Space::restricted do.
Result<Space> recorded_space(const Recording& recording, const te::Task& task);

// How a recording is searched.
struct CourseOptions {
  StrategyKind kind = StrategyKind::kEvolutionary;
  uint64_t seed = 1;
  Executor* executor = nullptr;  // none: what is to be built is built at once
};

// The best time after each new trial, in µs (0 while there is none), of one search without the seeds of an estimate. `task` is the recording's; what `store`
// holds of it on the recording's device counts as trials done, and what it holds of other tasks and devices is recalled (recall.h).
Result<std::vector<double>> replay_course(const Recording& recording, const te::Task& task, RecordStore& store,
                                          const CourseOptions& how, int trials);

// The number of the first trial with a time of at most `wanted_us`; trials + 1 if there is none.
int trials_until(const std::vector<double>& course, double wanted_us);

}  // namespace hone::tuner
