#include "tuner/space/census.h"

#include <algorithm>
#include <map>

namespace hone::tuner {

std::vector<Assignment> Space::enumerate() const {
  std::vector<Assignment> all;
  for_each_repaired([&](const Assignment& a) {
    if (trace(a).ok()) all.push_back(a);
  });
  return all;
}

bool Space::is_repaired(const Assignment& a) const {
  Assignment repaired = a;
  repair_once(repaired);
  return repaired == a;
}

void Space::for_each_repaired(const std::function<void(const Assignment&)>& visit) const {
  Assignment a(decisions_.size(), 0);
  for (size_t i = 0; i < own_;) {
    if (!other(a) && is_repaired(a)) visit(a);
    for (i = 0; i < own_ && ++a[i] == static_cast<int>(decisions_[i].values.size()); ++i) a[i] = 0;
  }
  for (const Algorithm& algorithm : others_)
    if (permits(algorithm))
      algorithm.space->for_each_repaired([&](const Assignment& part) { visit(whole(algorithm, part)); });
}

Assignment Space::at(uint64_t index) const {
  for (const Algorithm& algorithm : others_) {
    if (!permits(algorithm)) continue;
    const auto count = static_cast<uint64_t>(algorithm.space->count());
    if (index < count) return whole(algorithm, algorithm.space->at(index));
    index -= count;
  }
  Assignment a(decisions_.size(), 0);
  for (size_t i = 0; i < own_; ++i) {
    const Decision& d = decisions_[i];
    if (d.handle.choice == &Choices::algorithm) continue;
    a[i] = static_cast<int>(index % d.values.size());
    index /= d.values.size();
  }
  return a;
}

namespace {

// What became of the schedules that were made.
struct Tally {
  double repaired = 0, traced = 0, legal = 0;
  std::map<std::string, double> reasons;

  void trace(const Space& space, const Assignment& a) {
    std::string reason;
    ++traced;
    if (space.trace(a, &reason).ok()) ++legal;
    else ++reasons[reason];
  }
};

Tally look_at_all(const Space& space) {
  Tally tally;
  space.for_each_repaired([&](const Assignment& a) {
    ++tally.repaired;
    tally.trace(space, a);
  });
  return tally;
}

Tally look_at_some(const Space& space, const CensusLimits& limits) {
  Tally tally;
  Rng rng(1);
  for (int i = 0; i < limits.drawn; ++i) {
    const Assignment a = space.at(rng.below(static_cast<uint64_t>(space.count())));
    if (!space.is_repaired(a)) continue;
    ++tally.repaired;
    if (tally.traced < limits.traced_max) tally.trace(space, a);
  }
  return tally;
}

}  // namespace

Census take_census(const Space& space, const CensusLimits& limits) {
  Census census;
  census.assignments = space.count();
  const bool whole = census.assignments <= limits.whole_max;
  const Tally tally = whole ? look_at_all(space) : look_at_some(space, limits);
  if (!whole) census.drawn = limits.drawn, census.traced = static_cast<int>(tally.traced);
  census.repaired = whole ? tally.repaired : census.assignments * tally.repaired / limits.drawn;
  census.legal = tally.traced > 0 ? census.repaired * tally.legal / tally.traced : 0;
  for (const auto& [reason, count] : tally.reasons) census.pruned.push_back({reason, count / tally.traced});
  std::stable_sort(census.pruned.begin(), census.pruned.end(),
                   [](const Pruned& x, const Pruned& y) { return x.share > y.share; });
  return census;
}

}  // namespace hone::tuner
