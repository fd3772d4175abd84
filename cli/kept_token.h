// The token of a service's URL, which it keeps over restarts in a file beside its database: the database has the hash alone.
#pragma once
#include <string>

#include "base/result.h"

namespace hone::cli {

// That of the file; a new one, written there, where there is none, or where others than its owner could read or write it, or it is no token.
// The file has mode 0600. Fails: io_error, disk_full.
Result<std::string> kept_token(const std::string& path);

}  // namespace hone::cli
