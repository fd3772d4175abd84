// Limits of jobs.
#pragma once
#include <chrono>
#include <cstdint>

namespace hone::server {

inline constexpr int kJobsMax = 16;                // running at once, each with a thread
inline constexpr int kTrialsDefault = 64;          // per task
inline constexpr int kTrialsMax = 100000;          // per task
inline constexpr double kDeviceWaitDefaultS = 60;  // s until no_device
inline constexpr uint32_t kJobDevicesMax = 16;     // that one job uses side by side
// s until a request for a further device is repeated: shorter than what lets a waiting request gain priority, so that it never
// comes before a request for a first device.
inline constexpr double kMoreDevicesWaitS = 20;
inline constexpr double kProgressEveryMs = 100;  // between two progress frames
inline constexpr double kRateWindowS = 10;       // s over which trials per second are counted

// Of running whole models.
inline constexpr int64_t kInputElementsMax = 1 << 26;                // of one input
inline constexpr double kPlanCapMs = 30000;  // ms for a whole execution without timed runs, …
// … and for each pipeline more: SwiftShader takes a core 0.75 s for one of a detector in the mean, and 4 s for the largest; others may want the core, …
inline constexpr double kPlanCapMsPerKernel = 4000;
// … and as long as this slowest device takes for the arithmetic [GFLOP/s]: naive kernels run at 0.6 on SwiftShader (docs/numbers.md), where others have two
// thirds of the machine.
inline constexpr double kPlanGflopsMin = 0.2;
inline constexpr std::chrono::milliseconds kTellWaitingEvery{1000};  // what a run waits for, where its device is away
inline constexpr double kTimedSDefault = 20;     // s after which no further timed run of a model begins
inline constexpr double kPlanCapPerTimedMs = 3;  // ms more for each ms of timed runs, of which one may begin late
inline constexpr int kBenchTurns = 2;            // in which the schedules of a bench are timed
// Of comparing schedules. That all nine rounds say the same is chance once in 256.
inline constexpr uint32_t kCompareRounds = 9;
inline constexpr int kCompareSamples = 3;  // of each schedule in a round
inline constexpr double kErrorMax = 1e30;  // what stands for an infinite error in JSON

}  // namespace hone::server
