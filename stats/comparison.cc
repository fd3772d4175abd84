#include "stats/comparison.h"

#include <algorithm>
#include <cmath>

#include "base/cat.h"
#include "base/check.h"
#include "base/median.h"
#include "stats/alpha_spending.h"
#include "stats/limits.h"
#include "stats/signed_rank.h"

namespace hone::stats {
namespace {

Status check_rule(const ComparisonRule& rule) {
  const auto invalid = [](std::string text) { return Error{ErrorCode::kInvalidArgument, std::move(text)}; };
  if (!(rule.alpha > 0 && rule.alpha < 1)) return invalid(cat("alpha is ", rule.alpha, " and must be between 0 and 1"));
  if (!(rule.minimum_effect > 0 && std::isfinite(rule.minimum_effect)))
    return invalid(cat("the minimum effect is ", rule.minimum_effect, " and must be a positive share, such as 0.005"));
  if (!(rule.same_within >= rule.minimum_effect && std::isfinite(rule.same_within)))
    return invalid(cat("what differs by ", rule.same_within, " is to be the same, and the minimum effect is ",
                       rule.minimum_effect, ", which may be no more"));
  const auto& looks = rule.looks_pairs;
  const bool grow = std::adjacent_find(looks.begin(), looks.end(), std::greater_equal<>()) == looks.end();
  if (looks.empty() || looks.front() < 1 || !grow)
    return invalid("the looks must be growing numbers of pairs, such as 10, 30, 60, 120");
  return ok_status();
}

Status check_sizes(const Block& block, size_t blocks, size_t references) {
  if (blocks == kBlocksMax || block.quads.size() > kQuadsPerBlockMax || block.reference.size() > kQuadsPerBlockMax)
    return Error{ErrorCode::kLimitExceeded,
                 cat("a comparison has up to ", kBlocksMax, " blocks of up to ", kQuadsPerBlockMax, " quads")};
  if ((references == blocks) == !block.reference.empty() || blocks == 0) return ok_status();
  return Error{ErrorCode::kInvalidArgument,
               "either all blocks of a comparison have times of the reference kernel, or none"};
}

}  // namespace

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kMorePairs:
      return "more_pairs";
    case Verdict::kFaster:
      return "faster";
    case Verdict::kSlower:
      return "slower";
    case Verdict::kSame:
      return "same";
    case Verdict::kInconclusive:
      return "inconclusive";
  }
  CHECK(false, "no such verdict");
}

Result<Comparison> Comparison::make(ComparisonRule rule) {
  HONE_TRY(check_rule(rule));
  return Comparison(std::move(rule));
}

Status Comparison::add(const Block& block) {
  HONE_TRY(check_sizes(block, blocks_.size(), references_.size()));
  HONE_ASSIGN(ratios, log_ratios(block.quads));
  if (!block.reference.empty()) {
    HONE_ASSIGN(reference_ratios, log_ratios(block.reference));
    references_.push_back(median(reference_ratios));
  }
  blocks_.push_back(median(ratios));
  pairs_ += static_cast<int>(ratios.size());
  if (next_look_ < rule_.looks_pairs.size() && pairs_ >= rule_.looks_pairs[next_look_]) look();
  return ok_status();
}

void Comparison::look() {
  while (next_look_ < rule_.looks_pairs.size() && pairs_ >= rule_.looks_pairs[next_look_]) ++next_look_;
  const double spent_before = spent_share_;
  spent_share_ = spent_share(static_cast<double>(pairs_) / rule_.looks_pairs.back());
  const SignedRank ranks(blocks_);
  result_.pairs = pairs_;
  result_.blocks = static_cast<int>(blocks_.size());
  result_.log_ratio = ranks.estimate();
  result_.log_ratio_interval = ranks.interval(rule_.alpha * (spent_share_ - spent_before));
  result_.standard_error = ranks.standard_error();
  result_.p_value = std::min(result_.p_value, ranks.p_value() / (spent_share_ - spent_before));
  result_.reference_effect = references_.empty() ? 0 : std::fabs(SignedRank(references_).estimate());
  result_.is_last_look = next_look_ == rule_.looks_pairs.size();
  result_.verdict = verdict();
}

Verdict Comparison::verdict() const {
  const double minimum = std::log1p(rule_.minimum_effect), size = std::fabs(result_.log_ratio);
  if (!result_.log_ratio_interval.contains(0) && size >= std::max(minimum, result_.reference_effect))
    return result_.log_ratio < 0 ? Verdict::kFaster : Verdict::kSlower;
  if (result_.log_ratio_interval.is_within(std::log1p(rule_.same_within))) return Verdict::kSame;
  return result_.is_last_look ? Verdict::kInconclusive : Verdict::kMorePairs;
}

}  // namespace hone::stats
