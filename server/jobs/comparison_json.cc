#include "server/jobs/comparison_json.h"

#include <cmath>

namespace hone::server {

namespace {

std::string_view verdict_of(stats::Verdict verdict) {
  return stats::name_of(verdict == stats::Verdict::kMorePairs ? stats::Verdict::kInconclusive : verdict);
}

}  // namespace

nlohmann::json comparison_json(const stats::ComparisonResult& result, stats::Verdict verdict, double ratio_before) {
  const auto ratio = [](double log_ratio) { return std::isfinite(log_ratio) ? nlohmann::json(std::exp(log_ratio)) : nlohmann::json(); };
  return {{"verdict", verdict_of(verdict)},
          {"ratio", result.pairs > 0 ? std::exp(result.log_ratio) : ratio_before},
          {"ratio_low", ratio(result.log_ratio_interval.low)},
          {"ratio_high", ratio(result.log_ratio_interval.high)},
          {"pairs", result.pairs}};
}

}  // namespace hone::server
