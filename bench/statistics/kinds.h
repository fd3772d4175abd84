// The kinds of noise that rules are judged on.
#pragma once
#include <string>
#include <vector>

#include "bench/statistics/noise.h"

namespace hone::bench {

// Each kind alone, and all but the recording at once; `cv` is the deviation of a time by itself, which the others come on top of.
std::vector<NoiseTraits> noise_kinds(double cv);
// Times of one loop, in their own scatter. A file of record_loop: a time a line, and lines with # that tell where it comes from. Ends the program where there
// is none.
NoiseTraits recorded_noise(const std::string& file);

}  // namespace hone::bench
