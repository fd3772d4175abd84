// TuneSettings: how a tune job searches, as the `options` of its request say (protocol::TuneOptions). What is left out has its default.
#pragma once
#include <optional>

#include "base/result.h"
#include "schema/generated/protocol.h"
#include "server/jobs/job_tasks.h"
#include "tuner/search/planner.h"

namespace hone::server {

struct TuneSettings {
  tuner::StrategyKind strategy = tuner::StrategyKind::kEvolutionary;
  int samples = 3;  // per candidate, 1 to kSamplesMax
  tuner::CacheState cache = tuner::CacheState::kHot;
};

// The state of the caches in which a job's kernels are measured: as asked, else as a run of the model finds them, of an operator hot.
tuner::CacheState cache_of(const protocol::JobRequest& job, const std::optional<protocol::CacheState>& asked);

// Fails with invalid_argument.
Result<TuneSettings> tune_settings(const protocol::JobRequest& job);

// What a run of the model touches: its constants, and the largest activations that are there at one time.
int64_t model_bytes(const JobTasks& tasks);

}  // namespace hone::server
