// The named limits of the search's loops and retries.
#pragma once
#include <cstdint>

namespace hone::tuner {

inline constexpr int kRoundCandidates =
    8;  // proposals per round; fixed, so that proposals do not depend on the device's capacity
inline constexpr int kDrawsPerProposal = 200;  // a space so exhausted that this many draws give nothing new is done
inline constexpr int kBarrenRoundsMax = 5;     // rounds in a row that gave nothing new: the space counts as exhausted
inline constexpr int kTriesPerRun = 2;         // of one trial, for outcomes that may change
inline constexpr int kTriesAgentGone = 4;      // an agent reconnects; more than that is a lost device
inline constexpr int kAttemptsMax = 6;         // of one trial over all runs
inline constexpr int kRefineOneIn = 6;         // of a task's trials: the last, spent near its best
inline constexpr size_t kContenders = 8;       // of a task's finals, before they are halved
// What is slower than the best so many times is not the best: twice the tenth within which samples agree.
inline constexpr double kContestRatio = 1.2;
inline constexpr size_t kRecheckLeaders = 3;  // measured with the many samples at the end, besides the seed
inline constexpr int kRecheckRoundsMax = 5;   // once the time is over: two that halve, and three
// Executions of a measurement beside its samples: the checked one, and one that is warm.
inline constexpr int kRunsBeside = 2;
// Where time is limited: what a yardstick may take on the device, in all and of the time that is left, and its executions (kRunsBeside, one
// sample). Before a task has both times, a plain kernel is expected to take so many times its seed: more than nearly all do.
inline constexpr double kYardstickUsMax = 1e6;
inline constexpr double kYardstickShareMax = 0.05;
inline constexpr double kNaiveOverSeed = 32;
inline constexpr int kYardstickRuns = kRunsBeside + 1;
inline constexpr double kFinalsShareMax = 0.25;  // of the time that was given, for the measurements that end a search
inline constexpr double kImprovement =
    0.99;                           // a round has improved a task when its best is below this share of the old one
inline constexpr int kWakeMs = 50;  // how often a waiting search looks at its cancel token and its time
inline constexpr double kTellWaitingS = 1;  // of silence, until the progress says what the search waits for

}  // namespace hone::tuner
