// LocalSearch: a strategy of seeded random samples and mutations of the best. One third of the proposals is drawn from the whole space
// (the most promising of three samples), two thirds change one decision of one of the eight best so far, neighbours first. Nothing is
// proposed twice. Of what is known to be expensive to create here only one in eight is proposed.
#pragma once
#include <memory>
#include <set>
#include <vector>

#include "base/rng.h"
#include "tuner/search/creation_cost.h"
#include "tuner/search/strategy.h"
#include "tuner/space/space.h"

namespace hone::tuner {

class LocalSearch final : public Strategy {
 public:
  // `cost` is what all searches on one device know together.
  LocalSearch(Space space, uint64_t seed, std::shared_ptr<CreationCost> cost = std::make_shared<CreationCost>())
      : space_(std::move(space)), rng_(seed), cost_(std::move(cost)) {}

  std::vector<Proposal> propose(int n) override;
  void observe(const Observation& observation) override;
  std::map<std::string, int> dropped() const override { return dropped_; }

 private:
  struct Elite {
    double latency_us = 0;
    Assignment assignment;
  };

  Assignment sample();
  Assignment draw();

  Space space_;
  Rng rng_;
  std::shared_ptr<CreationCost> cost_;
  std::vector<Elite> elite_;            // fastest first
  std::set<std::string> seen_;          // steps as JSON: trivial differences of decisions that play no part vanish
  std::map<std::string, int> dropped_;  // by error code
};

}  // namespace hone::tuner
