#include "cli/native_runner.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/cat.h"

namespace hone::cli {

namespace fs = std::filesystem;

Result<std::string> find_native_runner() {
  std::error_code ignored;
  const fs::path here = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  std::string last;
  const char* given = std::getenv("HONE_NATIVE_RUNNER");
  const auto found = [&last](const fs::path& path) {
    last = path.lexically_normal().string();
    return access(last.c_str(), X_OK) == 0;
  };
  if (given && *given) {
    if (found(given)) return last;
  } else if (found(here / "hone_native_runner") || found(here / "../libexec/hone/hone_native_runner")) {
    return last;
  }
  return Error{ErrorCode::kNotFound,
               cat("the program that runs native kernels is not there (", last,
                   "); run scripts/build, or set HONE_NATIVE_RUNNER to the path of hone_native_runner")};
}

}  // namespace hone::cli
