// Comparison: is the new build faster or slower than the old one, on one device? It looks at pairs of times as they come, a few times, and stops being asked
// when it knows.
//
// A block's observation is the median of its pairs' log-ratios; the centre of the blocks' has Wilcoxon's exact interval (SignedRank). Each look spends its own
// part of alpha (alpha_spending.h), and by Bonferroni's inequality the looks together no more than alpha, however they depend on each other. So the intervals
// of all looks hold together with probability 1 − alpha (repeated confidence intervals: Jennison, Turnbull: Group Sequential Methods, 1999, chapter 9), and it
// costs nothing to stop at any of them.
#pragma once
#include <string_view>
#include <vector>

#include "base/result.h"
#include "stats/interval.h"
#include "stats/paired_times.h"

namespace hone::stats {

struct ComparisonRule {
  // 0 < alpha < 1: the intervals of all looks hold together with probability 1 − alpha.
  double alpha = 0.01;
  // As a share, > 0: what seems to differ by less is not called faster or slower. What differs by twice as much can be found; by just as much, half of the time.
  double minimum_effect = 0.005;
  // As a share, minimum_effect at least: what surely differs by less is the same. As large as what is to be found.
  double same_within = 0.01;
  // Growing. A look is at the end of the block with which there are so many pairs. The last one can decide from ten blocks on, so a block has one or two quads.
  std::vector<int> looks_pairs{10, 30, 60, 120};
};

enum class Verdict {
  kMorePairs,     // not known yet
  kFaster,        // the interval excludes 0; the estimate is below it, by minimum_effect and by reference_effect
  kSlower,        // likewise above it
  kSame,          // the interval lies within same_within to either side
  kInconclusive,  // not known at the last look
};
std::string_view name_of(Verdict verdict);

struct ComparisonResult {
  Verdict verdict = Verdict::kMorePairs;
  int pairs = 0, blocks = 0;    // at the last look that there was
  double log_ratio = 0;         // log(new / old): above 0 the new build is slower
  Interval log_ratio_interval;  // infinite as long as there are too few blocks
  double standard_error = 0;    // of log_ratio; infinite likewise
  double p_value = 1;           // the least alpha with which one of the looks so far would have excluded 0
  // |log-ratio| of the reference kernel, which is the same for both builds, over the same blocks: what the device alone does to a log-ratio.
  double reference_effect = 0;
  bool is_last_look = false;
};

class Comparison {
 public:
  // kInvalidArgument where the rule is out of the ranges above.
  static Result<Comparison> make(ComparisonRule rule);

  // kInvalidArgument where a time is not a positive finite number, where a block has no quad, or a reference kernel and others have none. kLimitExceeded
  // beyond kBlocksMax or kQuadsPerBlockMax. Then nothing has changed. Blocks may follow a verdict, which the next look replaces.
  Status add(const Block& block);
  // As of the last look.
  const ComparisonResult& result() const { return result_; }
  const ComparisonRule& rule() const { return rule_; }
  int pairs() const { return pairs_; }

 private:
  explicit Comparison(ComparisonRule rule) : rule_(std::move(rule)) {}
  void look();
  Verdict verdict() const;

  ComparisonRule rule_;
  std::vector<double> blocks_, references_;  // medians of log-ratios
  int pairs_ = 0;
  size_t next_look_ = 0;
  double spent_share_ = 0;
  ComparisonResult result_;
};

}  // namespace hone::stats
