#include "cli/temp_folder.h"

#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/cat.h"

namespace hone::cli {

Result<TempFolder> TempFolder::make() {
  std::error_code error;
  std::string path = cat(std::filesystem::temp_directory_path(error).string(), "/hone_XXXXXX");
  if (!error && mkdtemp(path.data()) != nullptr) return TempFolder(std::move(path));
  return Error{ErrorCode::kIoError,
               cat("no temporary folder can be made (", error ? error.message() : std::strerror(errno),
                   "); set TMPDIR to a folder that you may write to")};
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace hone::cli
