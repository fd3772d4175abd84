// Searches over recordings with several seeds, and how many trials they took.
#pragma once
#include <vector>

#include "bench/search/recorded_task.h"
#include "tuner/search/planner.h"

namespace hone::bench {

struct Seeds {
  uint64_t first = 1, last = 10;
};

struct Courses {
  std::vector<std::vector<double>> best_us;  // per seed, after each trial
  double ms_per_trial = 0;                   // of one core, the records' commits included

  double trials_until_median(double wanted_us) const;  // one more than there were, where it was not reached
};

// Without first schedules of the estimate, up to `trials` of each. `elsewhere`: recordings that each search finds as records when it begins.
Courses search(const RecordedTask& task, tuner::StrategyKind kind, Seeds seeds, int trials,
               const std::vector<const RecordedTask*>& elsewhere = {});

// Random search over the sub-space as it was declared, its kernels in any order, each once: after so many of them half of all searches have one of
// at most wanted_us. (The strategy `random` knows more: its samples are repaired to what the device holds, and mostly have what is usual.)
int even_draws_until_median(const tuner::Recording& recording, double wanted_us);

}  // namespace hone::bench
