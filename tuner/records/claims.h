// Claims: the times that agents say of one task on one class of devices, set against each other. Agents cannot be trusted, and a time that is
// too good would be the best for ever.
//
// Confirmed: a time that a trusted device measured, or that a device apart from its own measured of the same kernel, too: no further from it than
// kAgreeWithin, or, where both of them scatter, its square. What an agent writes into its samples widens nothing alone.
//
// Refuted: else, where something speaks against it:
// 1. It is not possible at all on the target (check_possible).
// 2. Its device was found to be biased (bias.h).
// 3. It is beyond kBeyondOthers times what the class has shown on this task: the rate of the other agents, each by its best time of a
//    candidate, in the middle of them, so that no single one of them sets it; and no other agent's time of the same kernel is within
//    kRepeatedWithin of it. An agent with fewer than kWitnessCandidates timed candidates has shown nothing; nor has one without an id, nor has
//    an import shown anything of what was measured here.
// 4. A device apart from its own measured the same kernel as slower than what agrees and what its own samples scatter, also where each is set against what the agent's reference
//    kernel took beside it, as the device may have been hot. So of two that disagree the slower counts, until a third agrees with the other.
//
// Unconfirmed otherwise: it counts. So the first agent of a class is believed until others show what the device does. Judged when it is read, so
// that it heals with the next honest measurement.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "tuner/records/store.h"

namespace hone::tuner {

// Whose word an attempt is.
struct Witness {
  std::string agent, enrolment, device;  // as Record's
  bool trusted = false;
};
Witness witness_of(const Record& record);
bool is_import(const std::string& agent);
// True where neither can be the other: two devices, of agents that different tokens vouch for, or canaries. Who makes up a second id for
// its device still has one token. What is imported vouches for nothing.
bool are_apart(const Witness& a, const Witness& b);

struct Claim {
  Hash source;
  Witness who;
  Origin origin = Origin::kSearch;
  double latency_us = 0;    // > 0
  double scatter = 0;       // of its samples, relative (scatter_of)
  double reference_us = 0;  // of the agent's reference kernel beside it; 0 = unknown
  bool doubted = false;
};

// How far samples lie from each other: 1.4826 times the middle of their distances from their median, as a share of it, which is the standard
// deviation of a normal distribution (Hampel, "The Influence Curve and Its Role in Robust Estimation", 1974). 0 of fewer than two.
double scatter_of(std::vector<double> samples);

class Claims {
 public:
  Claims(std::string target, double flops) : target_(std::move(target)), flops_(flops) {}
  void add(const Claim& claim);
  // Of a claim among those added.
  Standing standing(const Claim& claim) const;

 private:
  struct Shown {
    double best_us = 0;
    int candidates = 0;
  };
  template <class Says>
  bool any_other(const Claim& claim, Says says) const;
  double others_us(const std::string& agent) const;
  bool is_confirmed(const Claim& claim) const;
  bool is_refuted(const Claim& claim) const;

  const std::string target_;
  const double flops_;
  std::map<std::string, Shown> by_agent_;
  std::map<Hash, std::vector<Claim>> by_source_;
};

}  // namespace hone::tuner
