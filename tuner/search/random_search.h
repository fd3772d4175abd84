// RandomSearch: uniform samples of the space, none twice. What a search that learns has to beat.
#pragma once
#include "tuner/search/population.h"

namespace hone::tuner {

class RandomSearch final : public Strategy {
 public:
  RandomSearch(Space space, uint64_t seed) : population_(std::move(space), seed, std::make_shared<CreationCost>()) {}
  std::vector<Proposal> propose(int n) override;
  void observe(const Observation& observation) override { population_.observe(observation); }
  std::map<std::string, int> dropped() const override { return population_.dropped(); }

 private:
  Population population_;
};

}  // namespace hone::tuner
