// Limits of jobs.
#pragma once
#include <chrono>
#include <cstdint>

namespace hone::server {

inline constexpr int kJobsMax = 16;                // running at once, each with a thread
inline constexpr int kTrialsDefault = 64;          // per task
inline constexpr int kTrialsMax = 100000;          // per task
inline constexpr double kDeviceWaitDefaultS = 60;  // s until no_device
// How long a job waits for its device back that went to another one at the end of its term: the terms of four.
inline constexpr std::chrono::hours kTurnWait{2};
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
inline constexpr double kPlanCapMsMax = 2147483647;  // ms: the longest that a timer of a browser waits (HTML standard, setTimeout: a signed number of 32 bits)
inline constexpr std::chrono::milliseconds kTellWaitingEvery{1000};  // what a run waits for, where its device is away
inline constexpr double kTimedSDefault = 20;     // s after which no further timed run of a model begins
inline constexpr double kPlanCapPerTimedMs = 3;  // ms more for each ms of timed runs, of which one may begin late
inline constexpr int kBenchTurns = 2;            // in which the schedules of a bench are timed
// Of comparing schedules. That all nine rounds say the same is chance once in 256.
inline constexpr uint32_t kCompareRounds = 9;
inline constexpr int kCompareSamples = 3;  // of each schedule in a round
// Of reading a model: its bytes as they came, as parsed, and as constants of the graph.
inline constexpr double kImportCopies = 3;
// Of a child that reads one, besides: what the fuzzers hold any file to (docs/hacking.md), where the budget has it, and four times what mnist, MobileNets and detectors do with; their references take as
// much beside their values.
inline constexpr int64_t kModelChildBytesMax = int64_t{1} << 30;
inline constexpr int64_t kModelChildBytesMin = 16 << 20;
// s of the processor. 100,000 nodes take 1.6 s, folding at its limit two more (docs/numbers.md), and the child does a part of it twice: models may have some times as many nodes, and
// processors be some times slower.
inline constexpr double kModelChildS = 60;
inline constexpr double kModelChildSMax = 366 * 86400.0;  // s: a year, as of all times to wait
inline constexpr double kModelChildBytesPerS = 10 << 20;  // a tenth of what the slowest of hone's own measurements shows
inline constexpr double kModelChildClockPerProcessor = 10;  // other work may have the processor
// A reference takes a step as long as LLVM compiles it, and its arithmetic at this speed [GFLOP/s]: some minutes for a product of 4096³ (docs/hacking.md) are 0.5.
inline constexpr double kReferenceSPerStep = 1;
inline constexpr double kReferenceGflopsMin = 0.02;
inline constexpr double kErrorMax = 1e30;  // what stands for an infinite error in JSON

}  // namespace hone::server
