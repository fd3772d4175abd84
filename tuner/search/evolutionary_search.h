// EvolutionarySearch: the strategy with a cost model (as Ansor's, Zheng et al. 2020, section 5.1). For each round a pool of new schedules is
// bred from the fastest so far (mutations, crossings by stage), with as many strangers; the model orders it, the front is
// proposed, with two candidates of whose score the model is least sure and one whatever it thinks of it. Until there are enough results, or
// a prior, strangers are proposed. At the end (`refine`) it is single steps from the three fastest, along all decisions in turn. Features are cheap:
// a round of eight takes some 50 ms on the caller's thread, most of it in lowering the pool.
#pragma once
#include <map>
#include <vector>

#include "tuner/search/population_strategy.h"

namespace hone::tuner {

class EvolutionarySearch final : public SurrogateStrategy {
 public:
  using SurrogateStrategy::SurrogateStrategy;
  std::vector<Proposal> propose(int n) override;
  void refine() override { refines_ = true; }

 private:
  struct Candidate {
    Child child;
    Features features{};
    Prediction prediction;
    size_t step = 0;  // while the search refines: the decision that it changes,
    int turn = 0;     // and how many of those along it come before it
  };

  Assignment breed();
  std::vector<Candidate> pool(size_t size);
  void order(std::vector<Candidate>& pool, size_t wanted);
  void include_all_algorithms(std::vector<Candidate>& pool, size_t wanted) const;
  void take_turns(std::vector<Candidate>& pool, size_t wanted);
  size_t step_to(const Assignment& assignment) const;

  bool refines_ = false;
  std::map<size_t, int> steps_taken_;  // while it refines, by decision
};

}  // namespace hone::tuner
