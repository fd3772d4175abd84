// Limits of base/net that nobody configures.
#pragma once
#include <chrono>
#include <cstddef>

namespace hone::net {

inline constexpr size_t kFragmentBytes = 64 << 10;        // of one write to a socket
inline constexpr size_t kReceiveBytes = 2 << 10;          // that a WebSocket keeps for what it reads: each agent takes as much, and long messages come in so small pieces
inline constexpr size_t kServiceBufferBytes = 128 << 10;  // libwebsockets' own; 1 MB messages move twice as fast as with 4 K
inline constexpr int kCloseTimeoutS = 5;                  // for a peer to take what is queued and the close frame
inline constexpr size_t kCloseReasonBytesMax = 120;       // the standard permits 123
inline constexpr int kKeepaliveS = 30;                    // an idle HTTP connection
inline constexpr int kHttpStallS = 30;                    // for a peer to take one fragment of an HTTP reply
inline constexpr int kConnectTimeoutS = 10;               // of a client
inline constexpr size_t kStaticBytesMax = 64 << 20;       // of the files that a server keeps to show; the agent's page has 2 MiB in 18
inline constexpr size_t kStaticFilesMax = 1'000;
inline constexpr size_t kTokenHeaderBytesMax = 128;

// A message that began has a second more for each so many bytes that its channel may receive: half of a phone's uplink on a bad day (4 Mbit/s).
inline constexpr size_t kReceiveBytesPerSecondMin = 256 << 10;

// A server reads nothing more of a peer that leaves so much of its answers in the outbox: it gets no further answers to further questions.
inline constexpr size_t kOutboxPausesReadingBytes = 4 << 20;
inline constexpr size_t kFreedElsewhereBytes = 16 << 20;  // of a payload: munmap was measured to take 0.07 ms a MiB
inline constexpr size_t kOutboxFrameBytes = 64;  // what a queued frame takes beside its bytes

// Descriptors. A farm of 4,000 agents has 8,000 sockets; the rest is room. Beyond, the tables that libwebsockets sizes by the limit only grow.
inline constexpr size_t kDescriptorsWanted = 65'536;
// What a process of hone opens beside sockets of its server: databases, the expected outputs' files, pipes of its children, models.
inline constexpr size_t kDescriptorsReserved = 128;
// Of one address, in all: 512 agents behind one NAT, each with a control and a session socket. Half of all that there are, where that is more:
// behind a proxy everybody has its address.
inline constexpr size_t kSocketsPerAddress = 1'024;
// Of one address, that have not shown a token: 20 browsers that load the page over 6 connections each, at the same time.
inline constexpr size_t kStrangersPerAddressMax = 128;
inline constexpr int kAcceptsPerTurnMax = 64;                  // then others have their turn
inline constexpr std::chrono::milliseconds kAcceptPause{100};  // after the system had no descriptor or memory for a new socket

}  // namespace hone::net
