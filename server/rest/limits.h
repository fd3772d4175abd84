// Limits of the REST interface.
#pragma once
#include <chrono>
#include <cstddef>

namespace hone::server {

// Policies. A request's JSON is read on the network thread.
inline constexpr size_t kRestAskBytesMax = 1 << 20;
inline constexpr size_t kPartHeadersBytesMax = 4 << 10;  // of one part of a multipart body
inline constexpr size_t kPayloadPieceBytes = 48 << 10;   // of a job's outputs, in one event: 64 KiB in base64
inline constexpr size_t kPayloadAheadBytes = 256 << 10;  // and so much of it waits for its peer at most
// A stream that is quiet for so long says a comment: nginx ends a connection on which nothing came for 60 s by default (proxy_read_timeout).
inline constexpr std::chrono::seconds kStreamCommentEvery{15};

}  // namespace hone::server
