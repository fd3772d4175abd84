// A package as one page that needs no server: every file of it lies in index.html as text (browser-runtime/src/package/embedded.ts).
#pragma once
#include <map>
#include <string>

#include "base/result.h"

namespace hone::cli {

// Of the package's files: a browser holds them as text, as bytes and as weights.
inline constexpr uint64_t kSingleFileBytesMax = 20 << 20;

// index.html. files: as package_files gives them. Fails: limit_exceeded beyond kSingleFileBytesMax; not_found without a runtime; io_error.
Result<std::string> single_file(const std::map<std::string, std::string>& files);

}  // namespace hone::cli
