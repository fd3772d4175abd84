// Limits of a session with an agent.
#pragma once
#include <cstddef>
#include <cstdint>

namespace hone::server {

inline constexpr uint32_t kCreditsMax = 16;   // candidates outstanding on one device: two rounds of the search
inline constexpr uint32_t kCreditsMin = 4;    // of a slow device: three that it creates at once, and one to come
inline constexpr uint32_t kCreditsFirst = 8;  // until a candidate's work is known
inline constexpr double kWorkAheadMs = 1000;  // ms of work that a device should have; a request travels less
inline constexpr double kWorkNewest = 0.25;   // the newest candidate's share in what the next is expected to take
inline constexpr size_t kMeasureBytesMax = 1u << 20;  // code in one measure frame; a larger candidate travels alone
inline constexpr uint32_t kSamplesMax = 64;           // samples that one candidate may ask for
inline constexpr double kSampleMsMin = 3;             // ms of one sample
inline constexpr uint32_t kQuantaMin = 50;            // timer quanta of one sample
inline constexpr double kRaceFactor = 1.5;            // a candidate so far behind stops after its first sample
inline constexpr double kSamplingMsMax = 1500;        // ms after which an agent takes no further sample (browser-agent/src/core/heat.ts)
inline constexpr double kCandidateCapMs = 10000;      // ms for one candidate, creation included
inline constexpr int kExecuteAttemptsMax = 2;         // of one model, when sessions end before its answer
// ms without any answer that an agent may take over what it was sent. Its own watchdogs let the creation of a pipeline take 30 s, and
// finalists are created four at a time; then each has an execution and its samples.
inline constexpr double kAnswerMaxMs = 180000;
inline constexpr double kFetchBytesPerMs = 1000;  // of blobs, over the slowest network on which a device is of use
inline constexpr double kRunMsMax = 3.6e6;        // ms of one run of a model
inline constexpr size_t kBlobPieceBytes = 4 << 20;     // of a blob, where sessions carry them: eight are asked for at once
inline constexpr double kReattachMs = 60000;          // ms that candidates wait for an agent that went away

}  // namespace hone::server
