// Limits of jobs.
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace hone::server {

inline constexpr size_t kJobsMax = 16;             // running at once, each with a thread
// Of jobs that go on without their clients. All of it is policy.
inline constexpr size_t kDetachedRunningMax = kJobsMax / 2;           // the other places are for jobs that somebody waits for
inline constexpr int kJobStartsMax = 3;                               // a job during which the process ended so often is not begun again
inline constexpr size_t kQueuedMax = 4096;                            // that have not ended; their requests take 64 MiB at most
inline constexpr size_t kQueuedPerUserMax = 256;                      // of these, of one user
inline constexpr size_t kQueuedRequestBytesMax = 16 << 10;            // of a request, as JSON
inline constexpr int64_t kQueuedModelBytesMax = int64_t{16} << 30;    // of all models that are kept for them
inline constexpr size_t kStoringMax = 4;                              // whose models are in memory, on their way to the disk
inline constexpr double kBeginAgainMs = 10'000;                       // ms after which it is tried again to begin what could not be stored
inline constexpr double kSpentStoredEveryS = 10;                      // s of a job's time that may be forgotten when the process is killed
inline constexpr size_t kJobsPerPage = 128;                           // of a list; one takes 2 KiB
inline constexpr size_t kFollowedPerClientMax = 64;

inline constexpr int kTrialsDefault = 64;          // per task
inline constexpr int kTrialsMax = 100000;          // per task
inline constexpr double kDeviceWaitDefaultS = 60;  // s until no_device
// How long a job waits for its device back that went to another one at the end of its term: the terms of four.
inline constexpr std::chrono::hours kTurnWait{2};
inline constexpr uint32_t kJobDevicesMax = 16;     // that one job uses side by side
// s until a request for a further device is repeated: shorter than what lets a waiting request gain priority, so that it never
// comes before a request for a first device.
inline constexpr double kMoreDevicesWaitS = 20;
// s for which a job that has ended otherwise waits for another device to measure its winners: more than some dozens of them take (policy).
inline constexpr double kCheckS = 30;
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
inline constexpr int kDeviceChangesMax = 3;      // policy: of one timing or comparison, which begins anew with each; devices that go so often make no times
inline constexpr int kBenchTurns = 2;            // in which the schedules of a bench are timed
// Of comparing schedules. Without a number of rounds there are as many as it takes to know, up to the last look at 120 pairs (stats/comparison.h).
inline constexpr int kCompareRoundsMax = 120;
inline constexpr int kAloneRounds = 9;     // of a schedule that is compared with none (policy)
inline constexpr int kCompareSamples = 3;  // of each schedule in a round
// Of comparing builds. A block has a device of its own and two quads; with ten blocks the look at 60 pairs decides (docs/measurement.md).
inline constexpr int kQuadsOfBlock = 2;
inline constexpr uint32_t kBuildsPairsMax = 120;
inline constexpr double kBuildsSampleMs = 20;     // ms: a browser's clock without isolation has steps of 0.1 ms (W3C High Resolution Time 3, section 7.1), 0.5 % of it
inline constexpr double kBuildsErrorMax = 2e-2;   // of a range, between two builds' outputs: what weights as f16 may be off by (docs/packages.md)
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
