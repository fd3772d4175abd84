#include "cli/find_runner.h"

#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <filesystem>

#include "base/cat.h"

namespace hone::cli {

namespace fs = std::filesystem;

Result<std::string> find_runner(std::string_view target) {
  const std::string program = cat("hone_", target, "_runner");
  std::string variable = "HONE_";
  for (char c : target) variable += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  variable += "_RUNNER";
  std::error_code ignored;
  const fs::path here = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  std::string last;
  const char* given = std::getenv(variable.c_str());
  const auto found = [&last](const fs::path& path) {
    last = path.lexically_normal().string();
    return access(last.c_str(), X_OK) == 0;
  };
  if (given && *given) {
    if (found(given)) return last;
  } else if (found(here / program) || found(here / "../libexec/hone" / program)) {
    return last;
  }
  return Error{ErrorCode::kNotFound, cat("the program that runs kernels for ", target, " is missing (", last,
                                         "); run scripts/build, or set ", variable, " to the path of ", program)};
}

}  // namespace hone::cli
