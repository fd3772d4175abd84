// What a record may hold. Beyond it nothing is a measurement of hone's: a line of an import is refused, a row of a database left out.
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace hone::tuner {

inline constexpr int kAttemptNumberMax =
    1'000'000;                                     // a trial is tried 6 times; each job may measure a leader once more
inline constexpr int kRepeatsMax = 1'000'000'000;  // kernels in one sample: an empty one of 5 ns for 5 s
inline constexpr size_t kSamplesStoredMax = 4096;  // of an attempt; an agent is asked for 64 at most
inline constexpr size_t kFeaturesMax = 4096;       // of a trial; there are about 100
inline constexpr double kTimeUsMax = 3.6e9;        // [µs] an hour; an agent has 10 s for a candidate
inline constexpr int64_t kUnixMsMax = 253'402'300'799'000;  // [ms] the end of the year 9999
inline constexpr size_t kNameBytesMax = 4096;               // of a device key, a job's id, an agent's id
inline constexpr size_t kLineBytesMax = 4
                                        << 20;  // of an import; the longest of a fused task with its features has 30 kB
inline constexpr size_t kEndlessLineBytes = 256 << 20;  // what goes on for so long is no file of lines
inline constexpr int64_t kEndedFenceKeptMs = int64_t{90} * 86'400'000;  // [ms] of a device that nobody has measured on since
inline constexpr size_t kDamageNotedMax = 100'000;      // rows of a database that are counted as damaged

// While another process has the lock of a database, a service, whose results lose nothing by it, waits so long.
inline constexpr std::chrono::milliseconds kServiceBusyWait{60'000};
inline constexpr std::chrono::milliseconds kBusyPause{50};  // between two tries of a commit that a server could not take (policy)

// Of writing. A batch ends at so many records, that a commit of what has piled up takes some tenths of a second and no more.
inline constexpr int kBatchRecordsMax = 4096;
inline constexpr int kRecordsRead = 4096;    // in one answer of the database: some MB
inline constexpr size_t kForgetTrials = 64;  // in one transaction, between those of others

// What nobody measures. A time below the first, or more arithmetic in a second than the second, is no time of a kernel, whatever agent says it.
//
// A GPU does nothing in less than 0.1 µs: launches follow each other within about 1 µs at best. A call of a native kernel
// that stores one value was seen to take 2 ns; a call, a store and a return take at least three clock cycles of a processor of 6 GHz.
inline constexpr double kGpuKernelUsMin = 0.1;
inline constexpr double kCpuKernelUsMin = 0.0005;
// Four times the f32 arithmetic of the fastest devices of 2026 (AMD MI300X: 163.4 TFLOP/s of vectors; two AMD EPYC 9965: 384 cores, 64 flop a
// cycle, 3.35 GHz: 82 TFLOP/s), because a convolution by Winograd counts as up to four times what it computes. [GFLOP/s]
inline constexpr double kGpuGflopsMax = 653'600;
inline constexpr double kCpuGflopsMax = 329'000;

// When the others disagree. Within a class two honest devices differ by less: heat and battery make a factor of 2 to 3.
inline constexpr double kBeyondOthers = 4;     // so much faster than the others' best is not believed alone
inline constexpr double kRepeatedWithin = 2;  // another agent's time of the same kernel, so near, speaks for it all the same
inline constexpr int kWitnessCandidates =
    8;  // an agent that timed fewer of a task has not shown what the device can do: a round

// When another device confirms a time. The samples of one candidate agree within a tenth (browser-agent/src/core/agreement.ts), and so must two
// devices, or a tenth of each where both scatter more: three standard deviations of a difference, of which a normal distribution leaves out 0.3 %.
inline constexpr double kAgreeWithin = 1.1;
inline constexpr double kScattersApart = 3;

}  // namespace hone::tuner
