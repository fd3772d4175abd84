// Claims: the times that agents say of one task on one class of devices, set against each other. Agents cannot be trusted, and a time that is
// too good would be the best for ever. So a time counts only where nothing speaks against it:
//
// 1. It is possible at all on the target (check_possible).
// 2. It is not beyond kBeyondOthers times what the class has shown on this task: the rate of the other agents, each by its best time of a
//    candidate, in the middle of them, so that no single one of them sets it. An agent with fewer than kWitnessCandidates timed candidates has
//    shown nothing; nor has one without an id.
// 3. Or else another agent's time of the same kernel is within kConfirmedWithin of it.
//
// The first agent of a class has no others beside it: its times count until others show what the device does. Judged when it is read, so that it
// heals with the next honest measurement.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "tuner/records/store.h"

namespace hone::tuner {

struct Claim {
  Hash source;
  std::string agent;
  Origin origin = Origin::kSearch;
  double latency_us = 0;  // > 0
};

class Claims {
 public:
  Claims(std::string target, double flops) : target_(std::move(target)), flops_(flops) {}
  void add(const Claim& claim);
  // Of a claim among those added.
  bool confirmed(const Claim& claim) const;

 private:
  struct Shown {
    double best_us = 0;
    int candidates = 0;
  };
  double others_us(const std::string& agent) const;
  bool repeated_by_another(const Claim& claim) const;

  const std::string target_;
  const double flops_;
  std::map<std::string, Shown> by_agent_;
  std::map<Hash, std::vector<Claim>> by_source_;
};

}  // namespace hone::tuner
