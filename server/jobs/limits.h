// Limits of jobs.
#pragma once

namespace hone::server {

inline constexpr int kJobsMax = 16;                // running at once, each with a thread
inline constexpr int kTrialsDefault = 64;          // per task
inline constexpr int kTrialsMax = 100000;          // per task
inline constexpr double kDeviceWaitDefaultS = 60;  // s until no_device
inline constexpr double kProgressEveryMs = 100;    // between two progress frames
inline constexpr double kRateWindowS = 10;         // s over which trials per second are counted

}  // namespace hone::server
