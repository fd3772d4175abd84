// LocalSearch: hill climbing without a model. One third of the proposals is drawn from the whole space (the most promising of three
// samples), two thirds change one decision of one of the eight best so far, neighbours first.
#pragma once
#include "tuner/search/population_strategy.h"

namespace hone::tuner {

class LocalSearch final : public PopulationStrategy {
 public:
  using PopulationStrategy::PopulationStrategy;
  std::vector<Proposal> propose(int n) override;

 private:
  Assignment next();
};

}  // namespace hone::tuner
