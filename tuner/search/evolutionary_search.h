// EvolutionarySearch: the strategy with a cost model (as Ansor's, Zheng et al. 2020, section 5.1). For each round a pool of new schedules is
// bred from the fastest so far (mutations, crossings by stage, the direct neighbours of the best, strangers); the model orders it, the front is
// proposed, with one candidate of whose score the model is least sure and one whatever it thinks of it. Until there are enough results, or
// a prior, strangers are proposed. Features are cheap: a round of eight takes some 100 ms on the caller's thread, most of it in lowering the pool.
#pragma once
#include <vector>

#include "tuner/search/surrogate.h"

namespace hone::tuner {

class EvolutionarySearch final : public Strategy {
 public:
  // The task outlives the strategy.
  EvolutionarySearch(const te::Task& task, target::Target target, Space space, uint64_t seed,
                     std::shared_ptr<CreationCost> cost = std::make_shared<CreationCost>(),
                     std::shared_ptr<Experience> experience = std::make_shared<Experience>());

  std::vector<Proposal> propose(int n) override;
  void observe(const Observation& observation) override;
  std::map<std::string, int> dropped() const override { return population_.dropped(); }

 private:
  struct Candidate {
    Child child;
    Features features{};
    Prediction prediction;
  };

  Assignment breed();
  std::vector<Candidate> pool(size_t size);
  void order(std::vector<Candidate>& pool, size_t wanted);

  Population population_;
  Surrogate surrogate_;
};

}  // namespace hone::tuner
