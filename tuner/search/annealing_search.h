// AnnealingSearch: simulated annealing on the cost model's scores (AutoTVM: Chen et al. 2018, section 5.3). Some walkers go from schedule to
// schedule by mutations, uphill always, downhill the less the cooler it is; they go on where they stopped from round to round. The best-scored
// new schedules on their ways are proposed, with one stranger in eight. Until there are enough results, or a prior, strangers are proposed.
#pragma once
#include <vector>

#include "tuner/search/population_strategy.h"

namespace hone::tuner {

class AnnealingSearch final : public SurrogateStrategy {
 public:
  using SurrogateStrategy::SurrogateStrategy;
  std::vector<Proposal> propose(int n) override;

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

  std::vector<Walker> walkers_;
};

}  // namespace hone::tuner
