// What a page says of a package's files to have altered ones refused.
#pragma once
#include <map>
#include <string>

#include "base/result.h"

namespace hone::cli {

inline constexpr const char* kIntegrityFile = "integrity.json";

// "sha256-" and the digest in base64, as the integrity attribute of HTML has it, of each file that no other file vouches for: the manifests among
// `files` (name → content), and the runtime's scripts and modules. Fails: not_found without a runtime; io_error.
Result<std::map<std::string, std::string>> package_integrity(const std::map<std::string, std::string>& files);

}  // namespace hone::cli
