// GridSearch: every assignment of the space once, in strides that spread the first ones over all of it. Knows nothing and forgets nothing.
#pragma once
#include "tuner/search/population_strategy.h"

namespace hone::tuner {

class GridSearch final : public PopulationStrategy {
 public:
  // The seed chooses where it begins.
  GridSearch(Space space, uint64_t seed);
  std::vector<Proposal> propose(int n) override;

 private:
  Assignment next();

  uint64_t count_ = 1, stride_ = 1, at_ = 0, visited_ = 0;
};

}  // namespace hone::tuner
