#include "tuner/search/evolutionary_search.h"

#include <algorithm>

#include "tuner/search/limits.h"

namespace hone::tuner {

namespace {

constexpr size_t kParents = 12;
constexpr size_t kPoolPerProposal = 10;
constexpr size_t kSurprisesOneIn = 8;  // of what is proposed: drawn from the pool, whatever the model thinks
constexpr size_t kUnsureOneIn = 4;     // and such of whose score it is least sure
constexpr uint64_t kStrangersInPool =
    2;  // one child in so many has no parent: the model sorts them, and they are what it does not know
constexpr uint64_t kCrossedOneIn = 4;  // of those with parents
constexpr float kUnsureSpreads = 2;    // how far above its score a candidate of the unsure is taken to be

}  // namespace

Assignment EvolutionarySearch::breed() {
  Rng& rng = population_.rng();
  if (population_.fastest().empty() || rng.below(kStrangersInPool) == 0) return population_.stranger();
  const Assignment& parent = population_.parent(kParents).assignment;
  if (rng.below(kCrossedOneIn) == 0) return population_.cross(parent, population_.parent(kParents).assignment);
  Assignment child = population_.mutate(parent);
  return rng.below(3) == 0 ? population_.mutate(child) : child;
}

std::vector<EvolutionarySearch::Candidate> EvolutionarySearch::pool(size_t size) {
  std::vector<Candidate> pool;
  std::unordered_set<Hash, HashHasher> in_pool;
  for (size_t draws = 0; draws < kDrawsPerProposal * (size / kPoolPerProposal + 1) && pool.size() < size; ++draws) {
    auto child = population_.raise(breed());
    if (!child || !in_pool.insert(child->identity).second) continue;
    if (auto features = surrogate_.features(child->identity, child->trace))
      pool.push_back({std::move(*child), *features, {}});
  }
  return pool;
}

// The best first, but for the last of those that are wanted.
void EvolutionarySearch::order(std::vector<Candidate>& pool, size_t wanted) {
  std::vector<Features> rows;
  for (const Candidate& c : pool) rows.push_back(c.features);
  std::vector<Prediction> predictions = surrogate_.predict(rows);
  for (size_t i = 0; i < pool.size(); ++i) pool[i].prediction = predictions[i];
  auto sort_from = [&pool](size_t begin, float spreads) {
    std::stable_sort(pool.begin() + static_cast<long>(begin), pool.end(), [&](const Candidate& a, const Candidate& b) {
      return a.prediction.score + spreads * a.prediction.spread > b.prediction.score + spreads * b.prediction.spread;
    });
  };
  sort_from(0, 0);
  if (pool.size() <= wanted) return;
  const size_t surprises = wanted / kSurprisesOneIn, unsure = wanted / kUnsureOneIn;
  sort_from(wanted - surprises - unsure, kUnsureSpreads);
  for (size_t i = wanted - surprises; i < wanted; ++i)
    std::swap(pool[i], pool[i + population_.rng().below(pool.size() - i)]);
}

std::vector<Proposal> EvolutionarySearch::propose(int n) {
  const auto wanted = static_cast<size_t>(std::max(n, 0));
  surrogate_.learn(population_);
  std::vector<Candidate> candidates = pool(surrogate_.trained() ? wanted * kPoolPerProposal : wanted);
  if (surrogate_.trained()) order(candidates, wanted);
  std::vector<Proposal> proposals;
  for (Candidate& c : candidates) {
    if (proposals.size() == wanted) break;
    population_.take(c.child);
    const double expected_us = surrogate_.trained() ? surrogate_.expected_us(population_, c.prediction) : 0;
    proposals.push_back({std::move(c.child.trace), expected_us});
  }
  return proposals;
}

}  // namespace hone::tuner
