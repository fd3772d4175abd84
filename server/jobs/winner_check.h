// Winner checks: the fastest kernels of a search, measured once more on another device of the class, and what the checks of all jobs say of its devices.
#pragma once
#include <string>
#include <vector>

#include "server/agents/runner_group.h"
#include "tuner/records/cross_checks.h"
#include "tuner/search/tune.h"

namespace hone::server {

struct Winner {
  const te::Task* task = nullptr;
  tuner::KnownTrial trial;
};

// Of the tasks that got a time: the best kernel, where it is unconfirmed in that state of the caches.
Result<std::vector<Winner>> unconfirmed_winners(tuner::RecordStore& store, const std::string& device_key,
                                                const std::vector<tuner::WeightedTask>& tasks, const tuner::TuneReport& report,
                                                tuner::CacheState cache);

// A device that checks, and where its results go.
struct Checker {
  tuner::Runner& runner;
  tuner::RecordStore& store;
};

// Has each checker measure each winner as if it were a candidate of a search, so that its agent cannot tell, and stores what comes within `wait_s`, under
// the origin check. What does not compile is left out. Blocks; a cancel ends it within kWakeMs. Fails as the store does.
Status check_winners(const std::vector<Winner>& winners, tuner::Builder& builder, const std::vector<Checker>& checkers,
                     const tuner::TuneOptions& options, double wait_s, const CancelToken& cancel);

// The devices of a class whose bias shows now, each once: what they measured since the others last agreed with them is doubted from here on.
Result<std::vector<tuner::Bias>> doubt_biased(tuner::RecordStore& store, const std::string& device_key);

// "its times are 0.82 × those of other devices of its class, by the checks of 9 jobs"
std::string text_of(const tuner::Bias& bias);

}  // namespace hone::server
