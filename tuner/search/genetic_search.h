// GeneticSearch: a genetic algorithm without a model (Holland 1975; as the baseline of AutoTVM, Chen et al. 2018, section 5). Each candidate
// is a child of two parents that won tournaments among the fastest so far, crossed by stage, and mutated once in three times.
#pragma once
#include "tuner/search/population_strategy.h"

namespace hone::tuner {

class GeneticSearch final : public PopulationStrategy {
 public:
  using PopulationStrategy::PopulationStrategy;
  std::vector<Proposal> propose(int n) override;

 private:
  Assignment next();
  const Assignment& winner();
};

}  // namespace hone::tuner
