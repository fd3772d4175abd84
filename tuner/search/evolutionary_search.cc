#include "tuner/search/evolutionary_search.h"

#include <algorithm>

#include "tuner/search/limits.h"

namespace hone::tuner {

namespace {

constexpr size_t kParents = 12, kParentsAtLast = 3;
constexpr size_t kPoolPerProposal = 10;
constexpr size_t kSurprisesOneIn = 8;  // of what is proposed: drawn from the pool, whatever the model thinks
constexpr size_t kUnsureOneIn = 4;     // and such of whose score it is least sure
// One child in so many has no parent: the model sorts them, and they are what it does not know.
constexpr uint64_t kStrangersInPool = 2;
constexpr uint64_t kCrossedOneIn = 4;          // of those with parents
constexpr uint64_t kElsewhereAtLastOneIn = 8;  // so that the end of a small neighbourhood is no end
constexpr float kUnsureSpreads = 2;            // how far above its score a candidate of the unsure is taken to be

}  // namespace

Assignment EvolutionarySearch::breed() {
  Rng& rng = population_.rng();
  if (refines_ && !population_.fastest().empty() && rng.below(kElsewhereAtLastOneIn) != 0)
    return population_.mutate(population_.parent(kParentsAtLast).assignment);
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
    if (auto features = surrogate_.features(*child)) pool.push_back({std::move(*child), *features, {}});
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
  if (refines_) return take_turns(pool, wanted);
  if (pool.size() <= wanted) return;
  const size_t surprises = wanted / kSurprisesOneIn, unsure = wanted / kUnsureOneIn;
  sort_from(wanted - surprises - unsure, kUnsureSpreads);
  for (size_t i = wanted - surprises; i < wanted; ++i)
    std::swap(pool[i], pool[i + population_.rng().below(pool.size() - i)]);
  if (population_.space().algorithms() > 1) include_all_algorithms(pool, wanted);
}

// The last of those that are wanted becomes the best of the algorithm that was tried least, where none of it is among them: what is said of an
// algorithm by few schedules says little.
void EvolutionarySearch::include_all_algorithms(std::vector<Candidate>& pool, size_t wanted) const {
  const Space& space = population_.space();
  const auto algorithm_of = [&space](const Candidate& c) { return space.algorithm(c.child.assignment); };
  size_t least = 0;
  for (size_t i = 1; i < space.algorithms(); ++i)
    if (population_.taken(i) < population_.taken(least)) least = i;
  const auto best =
      std::find_if(pool.begin(), pool.end(), [&](const Candidate& c) { return algorithm_of(c) == least; });
  if (best != pool.end() && best >= pool.begin() + static_cast<long>(wanted)) std::swap(pool[wanted - 1], *best);
}

// Which decision leads to it from the nearest of the parents: the first of those that differ.
size_t EvolutionarySearch::step_to(const Assignment& assignment) const {
  size_t least = assignment.size() + 1, step = 0;
  for (size_t i = 0; i < std::min(kParentsAtLast, population_.fastest().size()); ++i) {
    const Assignment& parent = population_.members()[population_.fastest()[i]].assignment;
    size_t changed = 0, first = 0;
    for (size_t d = assignment.size(); d-- > 0;) {
      if (assignment[d] == parent[d]) continue;
      first = d;
      ++changed;
    }
    if (changed >= least) continue;
    least = changed;
    step = first;
  }
  return step;
}

// Steps along the decisions that were tried least come first, of each the best: of many decisions most change little, their steps have their parent's
// score, and would be all that is tried.
void EvolutionarySearch::take_turns(std::vector<Candidate>& pool, size_t wanted) {
  std::map<size_t, int> taken = steps_taken_;
  for (Candidate& c : pool) {
    c.step = step_to(c.child.assignment);
    c.turn = taken[c.step]++;
  }
  std::stable_sort(pool.begin(), pool.end(), [](const Candidate& a, const Candidate& b) { return a.turn < b.turn; });
  for (size_t i = 0; i < std::min(wanted, pool.size()); ++i) ++steps_taken_[pool[i].step];
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
