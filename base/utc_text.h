// Times for logs that programs read.
#pragma once
#include <cstdint>
#include <string>

namespace hone {

// RFC 3339, in UTC, to the millisecond: "2026-11-28T03:29:07.123Z". Milliseconds since 1970.
std::string utc_text(int64_t unix_ms);

}  // namespace hone
