// The named limits of the search's loops and retries.
#pragma once
#include <cstdint>

namespace hone::tuner {

inline constexpr int kRoundCandidates =
    8;  // proposals per round; fixed, so that proposals do not depend on the device's capacity
inline constexpr int kDrawsPerProposal = 200;  // a space so exhausted that this many draws give nothing new is done
inline constexpr uint64_t kCostlyOneIn = 8;    // enough to notice that what is expensive to create may be fast
inline constexpr int kBarrenRoundsMax = 5;     // rounds in a row that gave nothing new: the space counts as exhausted
inline constexpr int kTriesPerRun = 2;         // of one trial, for outcomes that may change
inline constexpr int kTriesAgentGone = 4;      // an agent reconnects; more than that is a lost device
inline constexpr int kAttemptsMax = 6;         // of one trial over all runs
inline constexpr int kRefineOneIn = 6;         // of a task's trials: the last, spent near its best
inline constexpr int kRecheckLeaders = 3;      // measured again at the end, besides the seed
inline constexpr int kRecheckRoundsMax = 3;    // once the time is over
inline constexpr double kRecheckCost =
    1.5;  // of one re-measurement, in trials: more samples, but nothing is checked twice
inline constexpr double kImprovement =
    0.99;                           // a round has improved a task when its best is below this share of the old one
// s without any result, once the time is over, after which what is outstanding is given up: a candidate's execution (10 s) and samples (5 s).
inline constexpr double kOverdueS = 15;
inline constexpr int kWakeMs = 50;  // how often a waiting search looks at its cancel token

}  // namespace hone::tuner
