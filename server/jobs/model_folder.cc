#include "server/jobs/model_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/cat.h"
#include "base/map_file.h"
#include "base/secret.h"
#include "base/sha256.h"
#include "server/child/descriptor.h"

namespace hone::server {

namespace fs = std::filesystem;

namespace {

Error not_kept(const std::string& path) {
  return {errno == ENOSPC || errno == EDQUOT ? ErrorCode::kDiskFull : ErrorCode::kIoError,
          cat("the model cannot be kept in ", path, ": ", std::strerror(errno), "; make room there, then repeat the command")};
}

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(file, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return fsync(file) == 0;
}

// A new name lasts once its folder is on disk.
bool sync_folder(const std::string& path) {
  const Descriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return folder.number() >= 0 && fsync(folder.number()) == 0;
}

}  // namespace

Result<std::string> ModelFolder::keep(std::string_view model) {
  const std::string sha256 = sha256_hex(model);
  HONE_TRY(make_room(sha256, static_cast<int64_t>(model.size())));
  struct stat found {};
  const bool there = stat(file_of(sha256).c_str(), &found) == 0 && found.st_size == static_cast<off_t>(model.size());
  const Status written = there ? ok_status() : write(sha256, model);
  if (written.ok()) return sha256;
  drop(sha256);
  return written.error();
}

Status ModelFolder::make_room(const std::string& sha256, int64_t bytes) {
  const std::lock_guard lock(mutex_);
  int64_t all = uses_.count(sha256) ? 0 : bytes;
  for (const auto& [name, size] : bytes_) all += size;
  if (all > bytes_max_)
    return Error{ErrorCode::kLimitExceeded, cat("with this one the models of queued jobs have ", all, " bytes; the service keeps ", bytes_max_,
                                                " at most; repeat the command when a job has ended")};
  ++uses_[sha256];
  bytes_[sha256] = bytes;
  return ok_status();
}

// Beside it first, so that whoever is killed meanwhile leaves all of it or nothing.
Status ModelFolder::write(const std::string& sha256, std::string_view model) const {
  if (mkdir(path_.c_str(), 0700) != 0 && errno != EEXIST) return not_kept(path_);
  const std::string draft = cat(path_, "/new-", random_secret());
  const Descriptor file(open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (file.number() < 0) return not_kept(path_);
  if (write_all(file.number(), model) && rename(draft.c_str(), file_of(sha256).c_str()) == 0 && sync_folder(path_)) return ok_status();
  const Error why = not_kept(path_);
  (void)unlink(draft.c_str());
  return why;
}

void ModelFolder::keep_known(const std::string& sha256) {
  std::error_code none;
  const auto bytes = fs::file_size(file_of(sha256), none);
  const std::lock_guard lock(mutex_);
  ++uses_[sha256];
  bytes_[sha256] = none ? 0 : static_cast<int64_t>(bytes);
}

void ModelFolder::drop(const std::string& sha256) {
  const std::lock_guard lock(mutex_);
  if (--uses_[sha256] > 0) return;
  uses_.erase(sha256);
  bytes_.erase(sha256);
  (void)unlink(file_of(sha256).c_str());
}

Result<SharedBytes> ModelFolder::read(const std::string& sha256) const {
  HONE_ASSIGN(bytes, map_file(file_of(sha256)));
  if (sha256_hex(*bytes) == sha256) return bytes;
  return Error{ErrorCode::kIoError, cat("the job's model in ", file_of(sha256), " is not what was submitted; submit the job again")};
}

void ModelFolder::remove_unknown() {
  const std::lock_guard lock(mutex_);
  std::error_code ignored;
  fs::directory_iterator at(path_, ignored);
  for (const fs::directory_iterator end; !ignored && at != end; at.increment(ignored)) {
    std::error_code kept;
    if (!uses_.count(at->path().filename().string())) fs::remove(at->path(), kept);
  }
}

}  // namespace hone::server
