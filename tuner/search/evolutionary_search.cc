#include "tuner/search/evolutionary_search.h"

#include <algorithm>
#include <numeric>

#include "base/cat.h"
#include "tuner/search/limits.h"

namespace hone::tuner {

namespace {

constexpr size_t kParents = 12;
constexpr size_t kResultsForModel = 12;  // with a time, before the model is asked
constexpr size_t kPoolPerProposal = 6;
constexpr int kStrangerOneIn = 8;  // of what is proposed
constexpr uint64_t kStrangersInPool =
    2;  // one child in so many has no parent: the model sorts them, and they are what it does not know
constexpr uint64_t kCrossedOneIn = 4;  // of those with parents
constexpr int kSamplesPerStranger = 3;

}  // namespace

EvolutionarySearch::EvolutionarySearch(const te::Task& task, target::Target target, Space space, uint64_t seed,
                                       std::shared_ptr<CreationCost> cost)
    : task_(task), target_(std::move(target)), space_(std::move(space)), rng_(seed), cost_(std::move(cost)) {}

// The most promising of a few, as the seeds are ordered: a uniform sample is mostly schedules that any device runs slowly.
Assignment EvolutionarySearch::stranger() {
  Assignment best = space_.sample(rng_);
  double promise = space_.promise(best);
  for (int i = 1; i < kSamplesPerStranger; ++i) {
    Assignment other = space_.sample(rng_);
    if (double p = space_.promise(other); p > promise) {
      best = std::move(other);
      promise = p;
    }
  }
  return best;
}

// The square of a uniform draw favours the front.
const Assignment& EvolutionarySearch::parent() {
  double u = rng_.uniform();
  auto count = static_cast<double>(std::min(fastest_.size(), kParents));
  return known_[fastest_[static_cast<size_t>(u * u * count)]].assignment;
}

Assignment EvolutionarySearch::breed() {
  if (fastest_.empty() || rng_.below(kStrangersInPool) == 0) return stranger();
  Assignment child = parent();
  if (rng_.below(kCrossedOneIn) == 0) {
    const Assignment& other = parent();
    for (size_t i = 0; i < child.size(); ++i)
      if (rng_.below(2)) child[i] = other[i];
    space_.repair(child);
    return child;
  }
  child = space_.mutate(child, rng_);
  return rng_.below(3) == 0 ? space_.mutate(child, rng_) : child;
}

std::optional<Features> EvolutionarySearch::features(const std::string& id, const schedule::Trace& trace) {
  if (auto found = rows_.find(id); found != rows_.end()) return found->second;
  auto made = features_of(task_, trace, target_);
  if (!made.ok()) {
    ++dropped_[cat("pruned_", error_name(made.error().code))];
    return std::nullopt;
  }
  return rows_[id] = *made;
}

// nullopt: illegal, known, or too dear to create.
std::optional<EvolutionarySearch::Child> EvolutionarySearch::raise(Assignment a) {
  const Assignment* proven = fastest_.empty() ? nullptr : &known_[fastest_.front()].assignment;
  if (rng_.below(kCostlyOneIn) != 0 && cost_->is_costly(space_, a, proven)) {
    ++dropped_["pruned_creation_time"];
    return std::nullopt;
  }
  auto trace = space_.trace(a);
  if (!trace.ok()) {
    ++dropped_[cat("pruned_", error_name(trace.error().code))];
    return std::nullopt;
  }
  std::string id = identity(*trace);
  if (seen_.count(id)) return std::nullopt;
  auto row = features(id, *trace);
  if (!row) return std::nullopt;
  return Child{std::move(a), std::move(*trace), std::move(id), *row};
}

std::vector<EvolutionarySearch::Child> EvolutionarySearch::pool(size_t size) {
  std::vector<Child> children;
  std::set<std::string> in_pool;
  for (size_t draws = 0; draws < kDrawsPerProposal * (size / kPoolPerProposal + 1) && children.size() < size; ++draws) {
    auto child = raise(breed());
    if (child && in_pool.insert(child->identity).second) children.push_back(std::move(*child));
  }
  return children;
}

void EvolutionarySearch::learn() {
  if (learnt_ == known_.size() || fastest_.size() < kResultsForModel) return;
  learnt_ = known_.size();
  const double best_us = known_[fastest_.front()].latency_us;
  std::vector<CostRow> rows;
  for (const Known& k : known_) {
    auto row = rows_.find(k.identity);
    if (row == rows_.end()) continue;
    rows.push_back({row->second, k.latency_us > 0 ? static_cast<float>(best_us / k.latency_us) : 0.0f});
  }
  Status learnt = model_.fit(rows);
  CHECK(learnt.ok(), learnt.error().message);
}

std::vector<Proposal> EvolutionarySearch::propose(int n) {
  learn();
  std::vector<Child> children;
  std::vector<size_t> order;
  auto wanted = static_cast<size_t>(std::max(n, 0));
  children = pool(model_.trained() ? wanted * kPoolPerProposal : wanted);
  order.resize(children.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (model_.trained()) {
    std::vector<Features> rows;
    for (const Child& child : children) rows.push_back(child.features);
    auto scores = model_.score(rows);
    CHECK(scores.ok(), scores.error().message);
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return (*scores)[a] > (*scores)[b]; });
    // The last of the proposals are drawn from the rest of the pool, whatever the model thinks of them.
    size_t chosen = wanted - std::min(wanted, static_cast<size_t>(n / kStrangerOneIn));
    for (size_t i = chosen; i < std::min(wanted, order.size()); ++i)
      std::swap(order[i], order[i + rng_.below(order.size() - i)]);
  }
  std::vector<Proposal> proposals;
  for (size_t i = 0; i < std::min(wanted, order.size()); ++i) {
    Child& child = children[order[i]];
    seen_.insert(child.identity);
    proposals.push_back({std::move(child.trace)});
  }
  return proposals;
}

void EvolutionarySearch::observe(const Observation& o) {
  std::string id = identity(o.trace);
  seen_.insert(id);
  auto assignment = space_.parse(o.trace);
  if (!assignment) return;  // a record of other rules: it counts, but has no neighbours here
  cost_->observe(space_, *assignment, o.create_ms);
  if (!features(id, o.trace)) return;
  bool timed = o.outcome == ErrorCode::kOk && o.latency_us > 0;
  known_.push_back({std::move(*assignment), std::move(id), timed ? o.latency_us : 0});
  if (!timed) return;
  auto slower =
      std::find_if(fastest_.begin(), fastest_.end(), [&](size_t i) { return o.latency_us < known_[i].latency_us; });
  fastest_.insert(slower, known_.size() - 1);
}

}  // namespace hone::tuner
