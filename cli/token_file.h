// Tokens in files that their owner alone may read and write, so that none stands in a command line, which every user of the machine can read.
#pragma once
#include <string>

#include "base/result.h"

namespace hone::cli {

bool is_token(const std::string& text);  // 32 lower-case hexadecimal digits

// The token of a file that a person named with --token-file. Fails: not_found, io_error, invalid_argument for what is no token.
Result<std::string> read_token_file(const std::string& path);

// Whole or not at all, mode 0600 whatever the umask, in the place of what is there. `what`: for people, "the service's token". Fails: io_error, disk_full.
Status write_token_file(const std::string& path, const std::string& token, const std::string& what);

}  // namespace hone::cli
