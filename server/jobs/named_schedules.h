// Schedules of a task by the names that people give them.
#pragma once
#include <string>
#include <vector>

#include "codegen/emit/kernel_source.h"
#include "codegen/schedule/trace.h"
#include "codegen/target/target.h"
#include "tuner/records/store.h"
#include "tuner/search/planner.h"

namespace hone::server {

struct NamedSchedule {
  std::string name;  // "best", "seed", "naive", or the source's hash; several where they are one source: "best, seed"
  schedule::Trace trace;
  emit::KernelSource source;
  int attempt = 0;  // of its next measurement
};

// names: "best" (of the records), "seed" (the first that compiles), "naive", a record's source or the beginning of its hash. known: what the records
// have of the task on this class of devices. One for each source, in the order of the names. Fails: not_found, invalid_argument, and what the compiler
// says of a schedule that it refuses.
Result<std::vector<NamedSchedule>> named_schedules(const std::vector<std::string>& names, const te::Task& task,
                                                   const std::vector<tuner::KnownTrial>& known,
                                                   const tuner::Planner& planner, const target::Target& target);

}  // namespace hone::server
