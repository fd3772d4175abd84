#include "tuner/search/local_search.h"

#include <algorithm>

#include "base/cat.h"
#include "tuner/search/limits.h"

namespace hone::tuner {

namespace {

constexpr size_t kElite = 8;
constexpr int kSamplesPerDraw = 3;

}  // namespace

// The most promising of a few: a uniform sample is mostly schedules that any device runs slowly, and a slow trial costs the most.
Assignment LocalSearch::sample() {
  Assignment best = space_.sample(rng_);
  double promise = space_.promise(best);
  for (int i = 1; i < kSamplesPerDraw; ++i) {
    Assignment other = space_.sample(rng_);
    if (double p = space_.promise(other); p > promise) {
      best = std::move(other);
      promise = p;
    }
  }
  return best;
}

Assignment LocalSearch::draw() {
  if (elite_.empty() || rng_.below(3) == 0) return sample();
  // The square of a uniform draw favours the front: the best is chosen about three times as often as the fourth.
  double u = rng_.uniform();
  auto which = static_cast<size_t>(u * u * static_cast<double>(elite_.size()));
  return space_.mutate(elite_[which].assignment, rng_);
}

std::vector<Proposal> LocalSearch::propose(int n) {
  std::vector<Proposal> proposals;
  for (int draws = 0; draws < kDrawsPerProposal * n && static_cast<int>(proposals.size()) < n; ++draws) {
    Assignment drawn = draw();
    if (rng_.below(kCostlyOneIn) != 0 &&
        cost_->is_costly(space_, drawn, elite_.empty() ? nullptr : &elite_.front().assignment)) {
      ++dropped_["pruned_creation_time"];
      continue;
    }
    auto trace = space_.trace(drawn);
    if (!trace.ok()) {
      ++dropped_[cat("pruned_", error_name(trace.error().code))];
      continue;
    }
    if (seen_.insert(identity(*trace)).second) proposals.push_back({std::move(*trace)});
  }
  return proposals;
}

void LocalSearch::observe(const Observation& o) {
  seen_.insert(identity(o.trace));
  auto assignment = space_.parse(o.trace);
  if (!assignment) return;  // a record of other rules: it counts, but has no neighbours here
  cost_->observe(space_, *assignment, o.create_ms);
  if (o.outcome != ErrorCode::kOk || o.latency_us <= 0) return;
  auto place = std::find_if(elite_.begin(), elite_.end(), [&o](const Elite& e) { return o.latency_us < e.latency_us; });
  elite_.insert(place, {o.latency_us, std::move(*assignment)});
  if (elite_.size() > kElite) elite_.pop_back();
}

}  // namespace hone::tuner
