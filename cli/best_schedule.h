// The best schedule that the records have for a task, with the device that it was measured on.
#pragma once
#include <string>

#include "base/result.h"
#include "codegen/schedule/trace.h"
#include "codegen/target/target.h"
#include "codegen/te/task.h"

namespace hone::cli {

struct BestSchedule {
  schedule::Trace trace;
  target::Target target;  // limits of the device, under which the trace is legal
};

// Of a device of this kind: the one whose key begins so, or for an empty key that where the task is fastest. Fails: not_found when the file, or a
// time for the task there, is not there.
Result<BestSchedule> best_schedule(const std::string& db, const te::Task& task, target::Kind kind,
                                   const std::string& device_key = "");

// What the device whose key begins so can do. Fails: not_found when the records do not have it, invalid_argument when it brings another kind of kernels.
Result<target::Target> recorded_target(const std::string& db, const std::string& device_key, target::Kind kind);

}  // namespace hone::cli
