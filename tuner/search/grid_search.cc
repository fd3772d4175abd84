#include "tuner/search/grid_search.h"

#include <algorithm>
#include <numeric>

namespace hone::tuner {

namespace {

// Next to the golden ratio of the count, which leaves the visited places evenly apart at any time, and without a common divisor.
uint64_t stride_for(uint64_t count) {
  auto stride = static_cast<uint64_t>(0.6180339887498949 * static_cast<double>(count));
  stride = std::max<uint64_t>(stride, 1);
  while (std::gcd(stride, count) != 1) ++stride;
  return stride;
}

}  // namespace

GridSearch::GridSearch(Space space, uint64_t seed) : PopulationStrategy(std::move(space), seed) {
  constexpr double kCountMax = 0x1p62;
  count_ = static_cast<uint64_t>(std::min(population_.space().count(), kCountMax));
  stride_ = stride_for(count_);
  at_ = population_.rng().below(count_);
}

Assignment GridSearch::next() {
  Assignment a = population_.space().at(at_);
  at_ = (at_ + stride_) % count_;
  ++visited_;
  population_.space().repair(a);
  return a;
}

std::vector<Proposal> GridSearch::propose(int n) {
  std::vector<Proposal> proposals;
  while (static_cast<int>(proposals.size()) < n && visited_ < count_) {
    auto child = population_.raise(next(), true);
    if (!child) continue;
    population_.take(*child);
    proposals.push_back({std::move(child->trace)});
  }
  return proposals;
}

}  // namespace hone::tuner
