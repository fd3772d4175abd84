// Limits of the REST interface.
#pragma once
#include <chrono>
#include <cstddef>

namespace hone::server {

// Policies. A request's JSON is read on the network thread: so much takes it 5 ms (measured: nlohmann-json reads 200 MB/s).
inline constexpr size_t kRestAskBytesMax = 1 << 20;
inline constexpr size_t kPartHeadersBytesMax = 4 << 10;  // of one part of a multipart body
inline constexpr size_t kPayloadPieceBytes = 48 << 10;   // of a job's outputs, in one event: 64 KiB in base64
inline constexpr size_t kPayloadAheadBytes = 256 << 10;  // and so much of it waits for its peer at most
// A stream that is quiet for so long says a comment: proxies end idle connections after 30 to 60 s.
inline constexpr std::chrono::seconds kStreamCommentEvery{15};

}  // namespace hone::server
