// How well the cost model orders schedules that it has not seen.
#pragma once
#include <vector>

#include "bench/search/recorded_task.h"

namespace hone::bench {

struct ModelQuality {
  double pairwise = 0;   // of pairs of held-out kernels that are 5 % apart, the share in the right order
  double best_of_8 = 0;  // the fastest of the eight that it puts first, relative to the fastest of all
};

// Five folds of one recording: each is ordered by a model of the other four; means.
ModelQuality across_folds(const RecordedTask& task);
// What the others hold, all of it; null where there are none.
std::shared_ptr<const tuner::CostModel> model_of(const std::vector<const RecordedTask*>& others);
// After so many kernels of the task, on top of the prior, if there is one: the rest in order. Mean of five draws.
ModelQuality after_rows(const RecordedTask& task, const std::shared_ptr<const tuner::CostModel>& prior, size_t rows);
// The task ordered by a model of others alone.
ModelQuality of_others(const RecordedTask& task, const std::vector<const RecordedTask*>& others);

}  // namespace hone::bench
