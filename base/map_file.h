// Files as bytes that the system reads when they are touched, so that a large model takes the memory of what is used of it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/shared_bytes.h"

namespace hone {

// `length` bytes from `offset` on (none: to the file's end), read-only, mapped as long as someone holds them. A pipe is read instead, from its
// beginning. Whoever truncates the file meanwhile ends the program. Fails: io_error with the reason; bad_model when the part reaches beyond the
// file; limit_exceeded when a pipe has more than 2 GiB.
Result<SharedBytes> map_file(const std::string& path, int64_t offset = 0, std::optional<int64_t> length = std::nullopt);

}  // namespace hone
