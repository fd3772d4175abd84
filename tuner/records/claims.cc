#include "tuner/records/claims.h"

#include <algorithm>
#include <cmath>

#include "base/median.h"
#include "tuner/records/limits.h"
#include "tuner/records/soundness.h"

namespace hone::tuner {

namespace {

constexpr std::string_view kImport = "import:";

double agree_ratio(double scatter) { return std::max(kAgreeWithin, std::exp(kScattersApart * std::sqrt(2.0) * scatter)); }

// Which of two scatters is true nobody knows: the smaller one binds, and no more than a tenth of each counts, as beside a busy device a liar would have much room.
bool agree(const Claim& a, const Claim& b) {
  const double ratio = std::min(agree_ratio(std::min(a.scatter, b.scatter)), kAgreeWithin * kAgreeWithin);
  return a.latency_us <= b.latency_us * ratio && b.latency_us <= a.latency_us * ratio;
}

// A device that is hot takes as much longer for its reference kernel. Whose own samples scatter refutes little; what the claim says of its own saves nothing.
bool is_too_fast_beside(const Claim& claim, const Claim& other) {
  const double slower = other.latency_us / claim.latency_us, ratio = agree_ratio(other.scatter);
  const bool both_known = claim.reference_us > 0 && other.reference_us > 0;
  const double hotter = both_known ? other.reference_us / claim.reference_us : 1;
  return slower > ratio && slower > ratio * hotter;
}

}  // namespace

Witness witness_of(const Record& record) { return {record.agent, record.enrolment, record.device, record.trusted}; }

bool is_import(const std::string& agent) { return agent.starts_with(kImport); }

bool are_apart(const Witness& a, const Witness& b) {
  if (is_import(a.agent) || is_import(b.agent) || a.device == b.device || a.device.empty() || b.device.empty()) return false;
  const bool of_two_tokens = a.enrolment != b.enrolment && !a.enrolment.empty() && !b.enrolment.empty();
  return of_two_tokens || (a.trusted && b.trusted);
}

double scatter_of(std::vector<double> samples) {
  if (samples.size() < 2) return 0;
  const double middle = median(samples);
  for (double& us : samples) us = std::abs(us - middle);
  return 1.4826 * median(samples) / middle;
}

void Claims::add(const Claim& claim) {
  if (claim.who.agent.empty()) return;
  by_source_[claim.source].push_back(claim);
  if (claim.origin == Origin::kNaive) return;
  Shown& shown = by_agent_[claim.who.agent];
  shown.candidates += claim.origin == Origin::kSeed || claim.origin == Origin::kSearch;
  if (shown.best_us == 0 || claim.latency_us < shown.best_us) shown.best_us = claim.latency_us;
}

template <class Says>
bool Claims::any_other(const Claim& claim, Says says) const {
  const auto found = by_source_.find(claim.source);
  return found != by_source_.end() && std::any_of(found->second.begin(), found->second.end(), says);
}

// The middle of the other agents' best times, of an even number the better of the two in the middle; 0 = no other has shown anything.
double Claims::others_us(const std::string& agent) const {
  std::vector<double> bests;
  for (const auto& [other, shown] : by_agent_)
    if (other != agent && shown.candidates >= kWitnessCandidates && (is_import(agent) || !is_import(other)))
      bests.push_back(shown.best_us);
  if (bests.empty()) return 0;
  const auto middle = bests.begin() + static_cast<long>((bests.size() - 1) / 2);
  std::nth_element(bests.begin(), middle, bests.end());
  return *middle;
}

bool Claims::is_confirmed(const Claim& claim) const {
  if (claim.who.trusted && !claim.doubted) return true;
  return any_other(claim, [&claim](const Claim& other) {
    return !other.doubted && are_apart(claim.who, other.who) && agree(claim, other);
  });
}

bool Claims::is_refuted(const Claim& claim) const {
  if (claim.doubted) return true;
  const bool beyond_others = claim.latency_us * kBeyondOthers < others_us(claim.who.agent);
  const bool repeated = beyond_others && any_other(claim, [&claim](const Claim& other) {
    return other.who.agent != claim.who.agent && other.latency_us <= claim.latency_us * kRepeatedWithin &&
           claim.latency_us <= other.latency_us * kRepeatedWithin;
  });
  if (beyond_others && !repeated) return true;
  return any_other(claim, [&claim](const Claim& other) {
    return !other.doubted && are_apart(claim.who, other.who) && is_too_fast_beside(claim, other);
  });
}

Standing Claims::standing(const Claim& claim) const {
  if (!check_possible(target_, flops_, claim.latency_us).ok()) return Standing::kRefuted;
  if (is_confirmed(claim)) return Standing::kConfirmed;
  return is_refuted(claim) ? Standing::kRefuted : Standing::kUnconfirmed;
}

}  // namespace hone::tuner
