// How good the first trials of a search are on a recording: what is measured before anything is learned.
#pragma once
#include <string>
#include <vector>

#include "tuner/measure/recording.h"

namespace hone::bench {

struct RecordedSpace {
  std::string name;  // "matmul_128.chromium"
  tuner::Recording recording;
};

// All of a folder, by name. Aborts with the reason when one cannot be read.
std::vector<RecordedSpace> load_recorded_spaces(const std::string& folder);

// The best time of so many trials of a search of the recording's sub-space, experts' choices in it first and nothing recalled; in µs.
double best_of_first_us(const tuner::Recording& recording, int trials, uint64_t seed);

}  // namespace hone::bench
