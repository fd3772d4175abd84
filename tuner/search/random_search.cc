#include "tuner/search/random_search.h"

#include "tuner/search/limits.h"

namespace hone::tuner {

std::vector<Proposal> RandomSearch::propose(int n) {
  std::vector<Proposal> proposals;
  for (int draws = 0; draws < kDrawsPerProposal * n && static_cast<int>(proposals.size()) < n; ++draws) {
    auto trace = space_.trace(space_.sample(rng_));
    if (trace.ok() && seen_.insert(identity(*trace)).second) proposals.push_back({std::move(*trace)});
  }
  return proposals;
}

void RandomSearch::observe(const Observation& o) { seen_.insert(identity(o.trace)); }

}  // namespace hone::tuner
