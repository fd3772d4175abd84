#include "tuner/records/claims.h"

#include <algorithm>

#include "tuner/records/limits.h"
#include "tuner/records/soundness.h"

namespace hone::tuner {

void Claims::add(const Claim& claim) {
  if (claim.agent.empty()) return;
  by_source_[claim.source].push_back(claim);
  if (claim.origin == Origin::kNaive) return;
  Shown& shown = by_agent_[claim.agent];
  shown.candidates += claim.origin != Origin::kRecheck;
  if (shown.best_us == 0 || claim.latency_us < shown.best_us) shown.best_us = claim.latency_us;
}

// The middle of the other agents' best times, of an even number the better of the two in the middle; 0 = no other has shown anything.
double Claims::others_us(const std::string& agent) const {
  std::vector<double> bests;
  for (const auto& [other, shown] : by_agent_)
    if (other != agent && shown.candidates >= kWitnessCandidates) bests.push_back(shown.best_us);
  if (bests.empty()) return 0;
  const auto middle = bests.begin() + static_cast<long>((bests.size() - 1) / 2);
  std::nth_element(bests.begin(), middle, bests.end());
  return *middle;
}

bool Claims::repeated_by_another(const Claim& claim) const {
  const auto found = by_source_.find(claim.source);
  if (found == by_source_.end()) return false;
  return std::any_of(found->second.begin(), found->second.end(), [&claim](const Claim& other) {
    return other.agent != claim.agent && other.latency_us <= claim.latency_us * kConfirmedWithin &&
           claim.latency_us <= other.latency_us * kConfirmedWithin;
  });
}

bool Claims::confirmed(const Claim& claim) const {
  if (!check_possible(target_, flops_, claim.latency_us).ok()) return false;
  return claim.latency_us * kBeyondOthers >= others_us(claim.agent) || repeated_by_another(claim);
}

}  // namespace hone::tuner
