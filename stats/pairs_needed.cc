#include "stats/pairs_needed.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/cat.h"
#include "stats/alpha_spending.h"
#include "stats/quantiles.h"

namespace hone::stats {
namespace {

constexpr double kPairsMin = 10;

bool is_positive(double value) { return std::isfinite(value) && value > 0; }

// What the last look spends.
double last_alpha(const ComparisonRule& rule) {
  const auto& looks = rule.looks_pairs;
  const double before =
      looks.size() == 1 ? 0 : spent_share(static_cast<double>(looks[looks.size() - 2]) / looks.back());
  return rule.alpha * (1 - before);
}

}  // namespace

Result<double> pairs_for(const Plan& plan) {
  if (!is_positive(plan.cv) || !is_positive(plan.effect))
    return Error{ErrorCode::kInvalidArgument,
                 cat("noise of ", plan.cv, " and an effect of ", plan.effect, " must be positive shares")};
  if (!(plan.alpha > 0 && plan.alpha < 1 && plan.power > 0 && plan.power < 1))
    return Error{ErrorCode::kInvalidArgument, "alpha and power must be between 0 and 1"};
  const double z = normal_quantile(1 - plan.alpha / 2) + normal_quantile(plan.power);
  return std::max(kPairsMin, 2 * std::pow(z * plan.cv / std::log1p(plan.effect), 2));
}

double pairs_needed(const Comparison& comparison) {
  const ComparisonResult& now = comparison.result();
  const ComparisonRule& rule = comparison.rule();
  if (now.blocks == 0 || std::isinf(now.standard_error)) return std::numeric_limits<double>::infinity();
  // How wide to either side the interval may be.
  const double size = std::fabs(now.log_ratio), as_same = std::log1p(rule.same_within) - size;
  const double reach = size >= std::log1p(rule.minimum_effect) ? std::max(size, as_same) : as_same;
  const double z = normal_quantile(1 - last_alpha(rule) / 2);
  return std::max<double>(now.pairs, now.pairs * std::pow(z * now.standard_error / reach, 2));
}

}  // namespace hone::stats
