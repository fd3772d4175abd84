// What people call tasks, devices, agents and jobs of the records, as the records hold them. An id may be cut off where one alone begins so.
#pragma once
#include <set>
#include <string>

#include "tuner/records/store.h"

namespace hone::cli {

// All fail: not_found where nothing fits, with the command that lists what is there; invalid_argument where several fit and one is wanted.

// The tasks whose id begins so, or whose name has this in it.
Result<std::set<Hash>> tasks_named(const std::string& text, tuner::RecordStore& store);
Result<Hash> task_named(const std::string& text, tuner::RecordStore& store);           // the only one
Result<std::string> device_named(const std::string& text, tuner::RecordStore& store);  // a device key
// A device by its id or its label (hone devices label); "" where none is called so.
Result<std::string> one_device_named(const std::string& text, tuner::RecordStore& store);
Result<std::string> agent_named(const std::string& text, tuner::RecordStore& store);
Result<std::string> job_named(const std::string& text, tuner::RecordStore& store);

}  // namespace hone::cli
