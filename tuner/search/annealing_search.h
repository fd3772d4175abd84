// AnnealingSearch: simulated annealing on the cost model's scores (AutoTVM: Chen et al. 2018, section 5.3). Some walkers go from schedule to
// schedule by mutations, uphill always, downhill the less the cooler it is; they go on where they stopped from round to round. The best-scored
// new schedules on their ways are proposed, with one stranger in eight. Until there are enough results, or a prior, strangers are proposed.
#pragma once
#include <vector>

#include "tuner/search/surrogate.h"

namespace hone::tuner {

class AnnealingSearch final : public Strategy {
 public:
  // The task outlives the strategy.
  AnnealingSearch(const te::Task& task, target::Target target, Space space, uint64_t seed,
                  std::shared_ptr<CreationCost> cost = std::make_shared<CreationCost>(),
                  std::shared_ptr<Experience> experience = std::make_shared<Experience>());

  std::vector<Proposal> propose(int n) override;
  void observe(const Observation& observation) override;
  std::map<std::string, int> dropped() const override { return population_.dropped(); }

 private:
  struct Walker {
    Assignment at;
    double score = 0;
  };
  struct Visited {
    Child child;
    Prediction prediction;
  };

  std::vector<Visited> walk();
  void step(double temperature, std::vector<Visited>& visited);

  Population population_;
  Surrogate surrogate_;
  std::vector<Walker> walkers_;
};

}  // namespace hone::tuner
