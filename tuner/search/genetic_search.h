// GeneticSearch: a genetic algorithm without a model (Holland 1975; as the baseline of AutoTVM, Chen et al. 2018, section 5). Each candidate
// is a child of two parents that won tournaments among the fastest so far, crossed by stage, and mutated once in three times.
#pragma once
#include "tuner/search/population.h"

namespace hone::tuner {

class GeneticSearch final : public Strategy {
 public:
  GeneticSearch(Space space, uint64_t seed, std::shared_ptr<CreationCost> cost = std::make_shared<CreationCost>())
      : population_(std::move(space), seed, std::move(cost)) {}
  std::vector<Proposal> propose(int n) override;
  void observe(const Observation& observation) override { population_.observe(observation); }
  std::map<std::string, int> dropped() const override { return population_.dropped(); }

 private:
  Assignment next();
  const Assignment& winner();

  Population population_;
};

}  // namespace hone::tuner
