// RandomSearch: uniform samples of the space, none twice. What a search that learns has to beat.
#pragma once
#include "tuner/search/population_strategy.h"

namespace hone::tuner {

class RandomSearch final : public PopulationStrategy {
 public:
  using PopulationStrategy::PopulationStrategy;
  std::vector<Proposal> propose(int n) override;
};

}  // namespace hone::tuner
