// How long a database is waited for, and how much it may hold. Policies of this project where no source is named.
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace hone::sql {

inline constexpr int kCellBytesMax = 64 << 20;  // a text or blob
inline constexpr int64_t kLogBytesKept = 64 << 20;  // of a write-ahead log's file, that stay when it begins anew: more than it needs where nobody reads for long

// Of one that commits all the time (SqliteOptions::busy). The pages that a commit touches are held in memory until then, else SQLite writes them twice: some four of a record of hone's
// (its rows and their indices), of thousands of records.
inline constexpr int kWriterCacheKiB = 64 << 10;
// What is written piece after piece waits until it is so long (a policy: a batch of some hundred records); to the system it goes in pieces that its VFS takes whole (unix: below 128 KiB).
inline constexpr size_t kCombinedBytesMax = 1 << 20, kWriteBytesMax = 64 << 10;
inline constexpr int kLogPages = 4000;        // of 4 KiB, in the write-ahead log, from which on they are moved: four times SQLite's own, as pages that change again are moved once
inline constexpr int kCheckpointPasses = 4;   // beside the writer, before it moves the rest itself
inline constexpr int kVacuumPages = 256;      // of 4 KiB, that are given back to the disk in one transaction, between those of others

// While another process has the lock of a database, who opens one or is asked for something waits so long.
inline constexpr std::chrono::milliseconds kBusyWait{5'000};

// Of PostgreSQL: until a connection stands, and until a round trip is over. The server ends a statement itself a little earlier, with its reason.
inline constexpr std::chrono::milliseconds kConnectMax{5'000}, kRoundTripMax{10'000}, kStatementMax{8'000};
// A transaction that the server gives up for another one's sake is done again so long: it takes a second each time to see that two wait for each other (its deadlock_timeout).
inline constexpr std::chrono::milliseconds kConflictsMax{30'000};
// A transaction whose client is silent ends after that, so that its locks hold up nobody.
inline constexpr std::chrono::milliseconds kIdleInTransactionMax{5'000};

}  // namespace hone::sql
