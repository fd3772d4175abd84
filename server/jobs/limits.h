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
// s until a request for a further device is made anew: shorter than what lets a waiting request gain priority, so that it never
// comes before a request for a first device.
inline constexpr double kMoreDevicesWaitS = 20;
inline constexpr double kProgressEveryMs = 100;  // between two progress frames
inline constexpr double kRateWindowS = 10;       // s over which trials per second are counted

// Of running whole models.
inline constexpr int64_t kInputElementsMax = 1 << 26;  // of one input
inline constexpr double kPlanCapMs = 30000;            // ms for a whole execution without timed runs, …
inline constexpr double kPlanCapMsPerKernel = 1000;    // … and for each pipeline more
inline constexpr double kPlanCapMsTimed = 60000;       // ms more for timed runs; the agent ends them after 20 s
inline constexpr std::chrono::milliseconds kTellWaitingEvery{1000};  // what a run waits for, where its device is away
inline constexpr double kErrorMax = 1e30;                            // what stands for an infinite error in JSON

}  // namespace hone::server
