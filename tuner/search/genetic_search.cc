#include "tuner/search/genetic_search.h"

#include <algorithm>

namespace hone::tuner {

namespace {
constexpr size_t kGeneration = 24;  // the fastest that may have children
constexpr size_t kFounders = 16;    // strangers with a time before anybody has
constexpr int kTournament = 3;
constexpr uint64_t kMutatedOneIn = 3, kStrangerOneIn = 8;
}  // namespace

// The places are ordered by time, so that the least drawn one has won.
const Assignment& GeneticSearch::winner() {
  const std::vector<size_t>& fastest = population_.fastest();
  const auto count = static_cast<uint64_t>(std::min(kGeneration, fastest.size()));
  uint64_t best = count - 1;
  for (int i = 0; i < kTournament; ++i) best = std::min(best, population_.rng().below(count));
  return population_.members()[fastest[best]].assignment;
}

Assignment GeneticSearch::next() {
  Rng& rng = population_.rng();
  if (population_.fastest().size() < kFounders || rng.below(kStrangerOneIn) == 0) return population_.stranger();
  const Assignment& mother = winner();
  Assignment child = population_.cross(mother, winner());
  return rng.below(kMutatedOneIn) == 0 ? population_.mutate(child) : child;
}

std::vector<Proposal> GeneticSearch::propose(int n) {
  return population_.draw(n, [this] { return next(); });
}

}  // namespace hone::tuner
