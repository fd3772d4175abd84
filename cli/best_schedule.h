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

// Of several devices the one where the task is fastest. Fails: not_found when the file, or a time for the task, is not there.
Result<BestSchedule> best_schedule(const std::string& db, const te::Task& task);

}  // namespace hone::cli
