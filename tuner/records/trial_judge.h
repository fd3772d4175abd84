// TrialJudge: makes KnownTrials of records, whatever store they come from.
#pragma once
#include <map>
#include <vector>

#include "tuner/records/store.h"

namespace hone::tuner {

bool has_time(const KnownTrial& trial);  // of a candidate that is ok
// The same trials with their times in that state of the caches.
std::vector<KnownTrial> in_state(std::vector<KnownTrial> trials, CacheState state);
bool is_timed_elsewhere(const KnownTrial& trial);  // ok, and has its times in other states alone
// By what candidates are compared where one is chosen by `us`: a confirmed one is taken before an unconfirmed one that is no more than kAgreeWithin
// faster, which is what devices that agree differ by.
double choice_us(const KnownTrial& trial, double us);
// The fastest candidate that is ok, by choice_us; nullopt where there is none.
std::optional<KnownTrial> best_of(const std::vector<KnownTrial>& trials);
// The yardstick, with a time or without.
std::optional<KnownTrial> yardstick_of(const std::vector<KnownTrial>& trials);

class TrialJudge {
 public:
  void add(const Record& record);  // attempts of one trial in their order; all of one task and device key
  // In the order of their first record, with their times in the state of the caches that says most of a model: the first of kModel, kCold and kHot
  // in which a candidate was measured, second medians left out.
  std::vector<KnownTrial> take();

 private:
  std::vector<KnownTrial> trials_;
  std::map<Hash, size_t> position_;
  std::map<std::pair<Hash, ErrorCode>, int> seen_;
};

}  // namespace hone::tuner
