#include "browser-agent/native/work_folder.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "base/cat.h"

namespace hone::native {

namespace fs = std::filesystem;

namespace {

// The process whose folder it is; 0: none of that name.
pid_t owner_of(const std::string& folder, const std::string& prefix) {
  pid_t owner = 0;
  if (folder.starts_with(prefix)) std::from_chars(folder.data() + prefix.size(), folder.data() + folder.size(), owner);
  return owner;
}

// A process that was killed leaves its folder.
void remove_orphans(const fs::path& parent, const std::string& prefix) {
  std::error_code ignored;
  for (fs::directory_iterator at(parent, ignored), end; !ignored && at != end; at.increment(ignored)) {
    const pid_t owner = owner_of(at->path().filename(), prefix);
    std::error_code failed;
    if (owner > 0 && kill(owner, 0) != 0 && errno == ESRCH) fs::remove_all(at->path(), failed);
  }
}

}  // namespace

Result<std::unique_ptr<WorkFolder>> WorkFolder::make(std::string_view name) {
  std::error_code failed;
  const fs::path parent = fs::temp_directory_path(failed);
  if (failed) return Error{ErrorCode::kIoError, cat("there is no folder for temporary files: ", failed.message())};
  const std::string prefix = cat(name, "-");
  remove_orphans(parent, prefix);
  std::string path = parent / cat(prefix, getpid(), "-XXXXXX");
  if (!mkdtemp(path.data())) return Error{ErrorCode::kIoError, cat(path, " cannot be made: ", std::strerror(errno))};
  return std::unique_ptr<WorkFolder>(new WorkFolder(std::move(path)));
}

void WorkFolder::remove() const noexcept {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace hone::native
