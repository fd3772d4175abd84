#include "tuner/search/random_search.h"

namespace hone::tuner {

std::vector<Proposal> RandomSearch::propose(int n) {
  return population_.draw(
      n, [this] { return population_.sample(); }, true);
}

}  // namespace hone::tuner
