#include "bench/statistics/kinds.h"

#include <cstdlib>
#include <fstream>

#include "base/check.h"
#include "base/median.h"

namespace hone::bench {

std::vector<NoiseTraits> noise_kinds(double cv) {
  return {{.name = "normal", .cv = cv},
          {.name = "drift of 5 %", .cv = cv, .drift = 0.05},
          {.name = "heavy tails", .cv = cv, .heavy_tails = true},
          {.name = "bursts of other work", .cv = cv, .bursts_per_sample = 0.02},
          {.name = "throttling", .cv = cv, .throttles = true},
          {.name = "clock of 65.5 µs", .cv = cv, .clock_step_us = 65.536},
          {.name = "tabs that differ", .cv = cv, .tab_effect = 0.003},
          {.name = "all of these",
           .cv = cv,
           .heavy_tails = true,
           .drift = 0.05,
           .bursts_per_sample = 0.02,
           .throttles = true,
           .clock_step_us = 65.536,
           .tab_effect = 0.003}};
}

NoiseTraits recorded_noise(const std::string& file) {
  std::ifstream lines(file);
  std::vector<double> times_us;
  for (std::string line; std::getline(lines, line);)
    if (!line.empty() && line[0] != '#') times_us.push_back(std::atof(line.c_str()));
  CHECK(!times_us.empty(), "no recording at " + file);
  const double middle_us = median(times_us);
  for (double& us : times_us) us /= middle_us;
  return {.name = "recorded", .cv = 0, .recorded = times_us};
}

}  // namespace hone::bench
