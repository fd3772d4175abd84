#include "tuner/search/annealing_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hone::tuner {

namespace {
constexpr size_t kWalkers = 16;
constexpr int kSteps = 8;       // of each walker per round
constexpr double kHottest = 1;  // temperature, in units of the model's scores
constexpr int kStrangerOneIn = 8;
}  // namespace

// All walkers take a step; those that come upon something new are scored together.
void AnnealingSearch::step(double temperature, std::vector<Visited>& visited) {
  std::vector<size_t> movers;
  std::vector<Child> found;
  std::vector<Features> rows;
  for (size_t i = 0; i < walkers_.size(); ++i) {
    auto child = population_.raise(population_.mutate(walkers_[i].at));
    if (!child) continue;
    auto features = surrogate_.features(*child);
    if (!features) continue;
    movers.push_back(i);
    rows.push_back(*features);
    found.push_back(std::move(*child));
  }
  const std::vector<Prediction> predictions = surrogate_.predict(rows);
  for (size_t j = 0; j < movers.size(); ++j) {
    Walker& walker = walkers_[movers[j]];
    const double gain = predictions[j].score - walker.score;
    if (gain >= 0 || population_.rng().uniform() < std::exp(gain / std::max(temperature, 1e-9)))
      walker = {found[j].assignment, predictions[j].score};
    visited.push_back({std::move(found[j]), predictions[j]});
  }
}

std::vector<AnnealingSearch::Visited> AnnealingSearch::walk() {
  // A new model gives other scores: a walker's first step is taken whatever it brings.
  for (Walker& walker : walkers_) walker.score = -std::numeric_limits<double>::infinity();
  while (walkers_.size() < kWalkers)
    walkers_.push_back({population_.stranger(), -std::numeric_limits<double>::infinity()});
  std::vector<Visited> visited;
  for (int i = 0; i < kSteps; ++i) step(kHottest * (1 - static_cast<double>(i) / kSteps), visited);
  std::stable_sort(visited.begin(), visited.end(),
                   [](const Visited& a, const Visited& b) { return a.prediction.score > b.prediction.score; });
  return visited;
}

std::vector<Proposal> AnnealingSearch::propose(int n) {
  surrogate_.learn(population_);
  std::vector<Proposal> proposals;
  std::unordered_set<Hash, HashHasher> taken;
  if (surrogate_.trained())
    for (Visited& v : walk()) {
      if (static_cast<int>(proposals.size()) >= n - n / kStrangerOneIn) break;
      if (!taken.insert(v.child.identity).second) continue;
      population_.take(v.child);
      proposals.push_back({std::move(v.child.trace), surrogate_.expected_us(population_, v.prediction)});
    }
  for (Proposal& stranger :
       population_.draw(n - static_cast<int>(proposals.size()), [this] { return population_.stranger(); }))
    proposals.push_back(std::move(stranger));
  return proposals;
}

}  // namespace hone::tuner
