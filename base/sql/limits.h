// How long a database is waited for, and how much it may hold. Policies of this project where no source is named.
#pragma once
#include <chrono>
#include <cstdint>

namespace hone::sql {

inline constexpr int kCellBytesMax = 64 << 20;  // a text or blob
inline constexpr int64_t kLogBytesKept = 64 << 20;  // of a write-ahead log's file, that stay when it begins anew: more than it needs where nobody reads for long

// While another process has the lock of a database, who opens one or is asked for something waits so long.
inline constexpr std::chrono::milliseconds kBusyWait{5'000};

// Of PostgreSQL: until a connection stands, and until a round trip is over. The server ends a statement itself a little earlier, with its reason.
inline constexpr std::chrono::milliseconds kConnectMax{5'000}, kRoundTripMax{10'000}, kStatementMax{8'000};
// A transaction whose client is silent ends after that, so that its locks hold up nobody.
inline constexpr std::chrono::milliseconds kIdleInTransactionMax{5'000};

}  // namespace hone::sql
