// What other recordings hold, as records that a search finds when it begins.
#pragma once
#include <string>
#include <vector>

#include "bench/search/recorded_task.h"

namespace hone::bench {

// Makes the database `path` of every kernel of these recordings, each on a device named like its recording's.
void write_known_records(const std::vector<const RecordedTask*>& recordings, const std::string& path);

}  // namespace hone::bench
