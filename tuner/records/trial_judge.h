// TrialJudge: makes KnownTrials of records, whatever store they come from.
#pragma once
#include <map>
#include <vector>

#include "tuner/records/store.h"

namespace hone::tuner {

bool has_time(const KnownTrial& trial);  // of a candidate that is ok
// The fastest candidate that is ok; nullopt where there is none.
std::optional<KnownTrial> best_of(const std::vector<KnownTrial>& trials);
// The yardstick, with a time or without.
std::optional<KnownTrial> yardstick_of(const std::vector<KnownTrial>& trials);

class TrialJudge {
 public:
  void add(const Record& record);  // attempts of one trial in their order; all of one task and device key
  std::vector<KnownTrial> take() { return std::move(trials_); }  // in the order of their first record

 private:
  std::vector<KnownTrial> trials_;
  std::map<Hash, size_t> position_;
  std::map<std::pair<Hash, ErrorCode>, int> seen_;
};

}  // namespace hone::tuner
