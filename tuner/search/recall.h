// What the records of other tasks and devices give to a search that begins: rows for its model, and their best schedules as seeds.
#pragma once
#include <set>
#include <string>
#include <utility>

#include "tuner/records/store.h"
#include "tuner/search/strategy.h"

namespace hone::tuner {

struct RecallOptions {
  std::string target, device_key;
  int feature_version = 0;
  std::set<Hash> tasks;  // of the job: on its own device these teach by their own searches
};
using Recalled = std::set<std::pair<Hash, std::string>>;  // task and device key, that the job's experience has already

// Adds to the plan's experience and seeds; the estimate's stay in front. Fails as the store does.
Status recall_neighbours(const te::Task& task, Plan& plan, RecordStore& store, const RecallOptions& options,
                         Recalled& recalled);

}  // namespace hone::tuner
