#include "tuner/search/creation_cost.h"

#include <algorithm>

namespace hone::tuner {

namespace {

constexpr size_t kSeenMin = 3;        // kernels with a choice before it may be called costly
constexpr double kCostlyFactor = 3;   // beyond the usual time
constexpr double kNegligibleMs = 60;  // what nobody waits for

void insert_sorted(std::vector<double>& values, double value) {
  values.insert(std::upper_bound(values.begin(), values.end(), value), value);
}

// Pipelines are created several at a time, so a slow neighbour makes others look slow: the lower quartile is what is usual.
double quantile(const std::vector<double>& ascending, double share) {
  return ascending.empty() ? 0 : ascending[static_cast<size_t>(share * static_cast<double>(ascending.size()))];
}

}  // namespace

void CreationCost::observe(const Space& space, const Assignment& assignment, double create_ms) {
  if (create_ms <= 0) return;
  insert_sorted(all_ms_, create_ms);
  for (size_t i = 0; i < assignment.size(); ++i) {
    const Decision& decision = space.decisions()[i];
    insert_sorted(by_choice_[{decision.key, decision.values[static_cast<size_t>(assignment[i])]}], create_ms);
  }
}

bool CreationCost::is_costly(const Space& space, const Assignment& assignment, const Assignment* proven) const {
  double bound_ms = std::max(kNegligibleMs, kCostlyFactor * quantile(all_ms_, 0.25));
  for (size_t i = 0; i < assignment.size(); ++i) {
    if (proven && (*proven)[i] == assignment[i]) continue;
    const Decision& decision = space.decisions()[i];
    auto found = by_choice_.find({decision.key, decision.values[static_cast<size_t>(assignment[i])]});
    if (found != by_choice_.end() && found->second.size() >= kSeenMin && quantile(found->second, 0.5) > bound_ms)
      return true;
  }
  return false;
}

}  // namespace hone::tuner
