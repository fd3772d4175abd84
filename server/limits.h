// Limits of the service.
#pragma once
#include <cstddef>

namespace hone::server {

// A job's frame may take so much of the memory that jobs may take: it is there as it arrives (in a buffer that may be twice as large), as it is
// kept, and what is read of it needs its own.
inline constexpr int64_t kJobFrameCopies = 4;

// A page of the records is full when it has so many bytes. One record takes 5 to 30 KiB, and a worker some 20 ms for such a page.
inline constexpr size_t kRecordsPageBytes = 1 << 20;

inline constexpr size_t kTokensPerPage = 256;  // one takes 300 bytes

inline constexpr size_t kWatchesPerClientMax = 64;  // a launcher watches the one agent that it started

// What a client has not read yet, above which it is told no further progress of its jobs: a hundred frames of it, which is ten seconds.
inline constexpr size_t kProgressBacklogBytes = 64 << 10;

}  // namespace hone::server
