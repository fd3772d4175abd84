// LocalSearch: hill climbing without a model. One third of the proposals is drawn from the whole space (the most promising of three
// samples), two thirds change one decision of one of the eight best so far, neighbours first.
#pragma once
#include "tuner/search/population.h"

namespace hone::tuner {

class LocalSearch final : public Strategy {
 public:
  LocalSearch(Space space, uint64_t seed, std::shared_ptr<CreationCost> cost = std::make_shared<CreationCost>())
      : population_(std::move(space), seed, std::move(cost)) {}
  std::vector<Proposal> propose(int n) override;
  void observe(const Observation& observation) override { population_.observe(observation); }
  std::map<std::string, int> dropped() const override { return population_.dropped(); }

 private:
  Assignment next();

  Population population_;
};

}  // namespace hone::tuner
