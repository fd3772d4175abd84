// Limits of base/net that nobody configures.
#pragma once
#include <cstddef>

namespace hone::net {

inline constexpr size_t kFragmentBytes = 64 << 10;        // of one write to a socket
inline constexpr size_t kReceiveBytes = 64 << 10;         // of one read from a socket
inline constexpr size_t kServiceBufferBytes = 128 << 10;  // libwebsockets' own; 1 MB messages move twice as fast as with 4 K
inline constexpr int kCloseTimeoutS = 5;                  // for a peer to take what is queued and the close frame
inline constexpr size_t kCloseReasonBytesMax = 120;       // the standard permits 123
inline constexpr int kKeepaliveS = 30;                    // an idle HTTP connection
inline constexpr int kConnectTimeoutS = 10;               // of a client
inline constexpr size_t kStaticFileBytesMax = 64 << 20;
inline constexpr size_t kTokenHeaderBytesMax = 128;

}  // namespace hone::net
