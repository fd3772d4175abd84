#include "tuner/search/population.h"

#include <algorithm>

#include "base/cat.h"
#include "tuner/search/limits.h"

namespace hone::tuner {

namespace {

// Of 3 and 8 the better after 64 trials on simulated hardware (0.935 and 0.945 of the best, docs/notes/space_on_simulated_hardware.md).
constexpr int kSamplesPerStranger = 8;
constexpr uint64_t kOfOneAlgorithmOneIn = 4;

Hash hash_of(const Assignment& a) {
  return hash_bytes({reinterpret_cast<const char*>(a.data()), a.size() * sizeof(a[0])});
}

}  // namespace

Population::Population(Space space, uint64_t seed, std::shared_ptr<CreationCost> cost)
    : space_(std::move(space)), rng_(seed), cost_(std::move(cost)), taken_(space_.algorithms(), 0) {}

Assignment Population::stranger() {
  Assignment best = sample();
  double best_us = space_.time_us(best);
  for (int i = 1; i < kSamplesPerStranger; ++i) {
    Assignment other = sample();
    if (const double us = space_.time_us(other); us < best_us) {
      best = std::move(other);
      best_us = us;
    }
  }
  return best;
}

// The square of a uniform draw favours the front.
const Population::Member& Population::drawn(const std::vector<size_t>& places, size_t front) {
  double u = rng_.uniform();
  auto count = static_cast<double>(std::min(places.size(), front));
  return members_[places[static_cast<size_t>(u * u * count)]];
}

const Population::Member& Population::parent(size_t front) {
  if (space_.algorithms() == 1 || rng_.below(kOfOneAlgorithmOneIn) != 0) return drawn(fastest_, front);
  const size_t wanted = rng_.below(space_.algorithms());
  std::vector<size_t> of_it;
  std::copy_if(fastest_.begin(), fastest_.end(), std::back_inserter(of_it),
               [&](size_t place) { return members_[place].algorithm == wanted; });
  return drawn(of_it.empty() ? fastest_ : of_it, front);
}

Assignment Population::cross(const Assignment& a, const Assignment& b) {
  Assignment child = a;
  std::map<std::pair<size_t, Subject>, bool> from_b;
  for (size_t i = 0; i < child.size(); ++i) {
    const Handle& handle = space_.decisions()[i].handle;
    auto [subject, is_new] = from_b.try_emplace({handle.group, subject_of(handle.choice)});
    if (is_new) subject->second = rng_.below(2) == 1;
    if (subject->second) child[i] = b[i];
  }
  space_.repair(child);
  return child;
}

void Population::take(const Child& child) {
  tried_.insert(child.identity);
  operations_of_.emplace(child.identity, child.operations);
  tried_assignments_.insert(hash_of(child.assignment));
  ++taken_[space_.algorithm(child.assignment)];
}

std::optional<Child> Population::raise(Assignment a, bool at_any_cost) {
  const Hash key = hash_of(a);
  if (tried_assignments_.count(key)) return std::nullopt;
  const double luck = at_any_cost ? 0 : rng_.uniform();
  auto scheduled = space_.apply(a);
  if (!scheduled.ok()) {
    ++dropped_[cat("pruned_", error_name(scheduled.error().code))];
    tried_assignments_.insert(key);
    return std::nullopt;
  }
  // One time in k where creating it takes k times as long, so that small and large kernels get the same time.
  if (luck * cost_->times_usual(scheduled->operations, fastest_.empty() ? 0 : best().operations) >= 1) {
    ++dropped_["pruned_creation_time"];
    return std::nullopt;
  }
  Hash id = identity(scheduled->trace);
  if (tried_.count(id)) {
    tried_assignments_.insert(key);
    return std::nullopt;
  }
  return Child{std::move(a), std::move(scheduled->trace), id, std::move(scheduled->result), scheduled->operations};
}

std::vector<Proposal> Population::draw(int n, const std::function<Assignment()>& next, bool at_any_cost) {
  std::vector<Proposal> proposals;
  for (int draws = 0; draws < kDrawsPerProposal * n && static_cast<int>(proposals.size()) < n; ++draws) {
    auto child = raise(next(), at_any_cost);
    if (!child) continue;
    take(*child);
    proposals.push_back({std::move(child->trace)});
  }
  return proposals;
}

// Seeds and what is known from elsewhere were not proposed here.
int64_t Population::operations_of(const Hash& id, const Assignment& assignment) const {
  if (const auto known = operations_of_.find(id); known != operations_of_.end()) return known->second;
  const auto scheduled = space_.apply(assignment);
  return scheduled.ok() ? scheduled->operations : 0;
}

std::optional<size_t> Population::observe(const Observation& o) {
  Hash id = identity(o.trace);
  tried_.insert(id);
  auto assignment = space_.parse(o.trace);
  if (!assignment) return std::nullopt;
  const int64_t operations = operations_of(id, *assignment);
  if (operations > 0) cost_->observe(operations, o.create_ms);
  bool timed = o.outcome == ErrorCode::kOk && o.latency_us > 0;
  const size_t algorithm = space_.algorithm(*assignment);
  members_.push_back({std::move(*assignment), id, timed ? o.latency_us : 0, algorithm, operations});
  if (!timed) return members_.size() - 1;
  auto slower =
      std::find_if(fastest_.begin(), fastest_.end(), [&](size_t i) { return o.latency_us < members_[i].latency_us; });
  fastest_.insert(slower, members_.size() - 1);
  return members_.size() - 1;
}

}  // namespace hone::tuner
