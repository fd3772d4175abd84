// The best schedule that the records have for a task, with the device that it was measured on.
#pragma once
#include <string>

#include "base/result.h"
#include "cli/record_source.h"
#include "codegen/schedule/trace.h"
#include "codegen/target/target.h"
#include "codegen/te/task.h"

namespace hone::cli {

struct BestSchedule {
  schedule::Trace trace;
  target::Target target;  // limits of the device, under which the trace is legal
  std::string device;     // whose it is, for people; "" where it is of no recorded device
};

// Of a device of this kind: the one whose key begins so, or for an empty key that where the task is fastest. The task's attempts are fetched.
// Fails: not_found when there is no time for the task.
Result<BestSchedule> best_schedule(RecordSource& records, const te::Task& task, target::Kind kind,
                                   const std::string& device_key = "");

// What the device whose key begins so can do. Fails: not_found when the records do not have it, invalid_argument when it brings another kind of kernels.
Result<target::Target> recorded_target(RecordSource& records, const std::string& device_key, target::Kind kind);

}  // namespace hone::cli
