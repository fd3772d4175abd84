// RandomSearch: uniform samples of the space, none twice. What a search that learns has to beat.
#pragma once
#include <set>

#include "tuner/search/strategy.h"
#include "tuner/space/space.h"

namespace hone::tuner {

class RandomSearch final : public Strategy {
 public:
  RandomSearch(Space space, uint64_t seed) : space_(std::move(space)), rng_(seed) {}
  std::vector<Proposal> propose(int n) override;
  void observe(const Observation& observation) override;

 private:
  Space space_;
  Rng rng_;
  std::set<std::string> seen_;
};

}  // namespace hone::tuner
