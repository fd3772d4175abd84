#include "tuner/search/local_search.h"

namespace hone::tuner {

namespace {
constexpr size_t kElite = 8;
}

Assignment LocalSearch::next() {
  if (population_.fastest().empty() || population_.rng().below(3) == 0) return population_.stranger();
  return population_.mutate(population_.parent(kElite).assignment);
}

std::vector<Proposal> LocalSearch::propose(int n) {
  return population_.draw(n, [this] { return next(); });
}

}  // namespace hone::tuner
