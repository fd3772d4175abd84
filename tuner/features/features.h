// Features: what the cost model sees of a schedule, read from its lowered loops before anything is unrolled. They know statements,
// accesses and extents, no operator, and have the same meaning for every task. docs/tuner.md lists them.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "base/result.h"
#include "codegen/ir/stmt.h"
#include "codegen/schedule/schedule.h"
#include "codegen/target/target.h"
#include "codegen/te/task.h"

namespace hone::tuner {

// Goes into every record; to be raised with any change of number, order or meaning.
inline constexpr int kFeatureVersion = 3;
inline constexpr int kGlobalAccesses = 4;  // described one by one: the store, then the busiest loads
inline constexpr int kAccessFeatures = 8;
inline constexpr int kLaunchFeatures = 26;
inline constexpr int kDeviceFeatures = 6;  // the same for all schedules of a device: they speak between devices
inline constexpr int kFeatureCount = kLaunchFeatures + kGlobalAccesses * kAccessFeatures + kDeviceFeatures;

// Counts as log2(1 + x), shares in [0, 1]; rounded to 1/1024, so that a model never depends on the last bits of a logarithm.
using Features = std::array<float, kFeatureCount>;

// Of a kernel as lower::lower_to_loops leaves it for the target. `flops`: of the task's definition, to see what a schedule computes in excess.
Features extract_features(const ir::Kernel& kernel, double flops, const target::Target& target);
// Lowers and extracts; launches that run but once, ahead of the others, do not count. Fails as lower_to_loops does. About 0.5 ms; thread-safe.
Result<Features> features_of(const te::Task& task, const schedule::Trace& trace, const target::Target& target);
// Of a schedule to which all steps were applied; it is then used up.
Result<Features> features_of(schedule::Schedule& schedule);

std::vector<std::string> feature_names();  // "threads", "load0.stride_thread", …

}  // namespace hone::tuner
