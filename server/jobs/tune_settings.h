// TuneSettings: how a tune job searches, as the `options` of its request say: {"strategy": "annealing", "samples": 9}. What is left out is
// as usual.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "base/result.h"
#include "tuner/search/planner.h"

namespace hone::server {

struct TuneSettings {
  tuner::StrategyKind strategy = tuner::StrategyKind::kEvolutionary;
  int samples = 3;  // per candidate, 1 to kSamplesMax
};

// Fails with invalid_argument.
Result<TuneSettings> tune_settings(const std::optional<nlohmann::json>& options);

}  // namespace hone::server
