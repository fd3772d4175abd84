// What a database that grew for years can do without.
#pragma once
#include <cstdint>

#include "tuner/records/store.h"

namespace hone::tuner {

struct GarbageReport {
  int trials_removed = 0;
  int trials_kept = 0;
};

// Forgets the trials of which every attempt is older than `before_unix_ms`. Kept whatever their age: of each task on each device the
// yardstick and the `best_kept` fastest, so that results and the next search's start stay what they were. Fails: when the store does.
Result<GarbageReport> collect_garbage(RecordStore& store, int64_t before_unix_ms, int best_kept = 8);

}  // namespace hone::tuner
