// What a comparison found, as the results of jobs tell it.
#pragma once
#include <nlohmann/json.hpp>

#include "stats/comparison.h"

namespace hone::server {

// {"verdict": "faster", "slower", "same" or "inconclusive", "ratio": of the new time and the old one, "ratio_low", "ratio_high": what it lies between, or null, "pairs"}.
// ratio_before: told before the first look, when there is an estimate alone.
nlohmann::json comparison_json(const stats::ComparisonResult& result, stats::Verdict verdict, double ratio_before);

}  // namespace hone::server
