#include "base/private_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/cat.h"

namespace hone {

namespace {

Error not_written(const std::string& path, const std::string& what) {
  return {errno == ENOSPC ? ErrorCode::kDiskFull : ErrorCode::kIoError,
          cat(what, " cannot be kept in ", path, ": ", std::strerror(errno), "; make room there, or remove what is in the way")};
}

}  // namespace

void make_private_file(const std::string& path) {
  const int file = open(path.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  if (file < 0) return;
  (void)fchmod(file, 0600);
  close(file);
}

// Written beside it first, so that whoever is killed meanwhile leaves all of it or nothing.
Status write_private_file(const std::string& path, const std::string& text, const std::string& what) {
  const std::string draft = path + ".new";
  (void)unlink(draft.c_str());
  const int fd = open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return not_written(path, what);
  const bool written = fchmod(fd, 0600) == 0 && write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                       fsync(fd) == 0 && rename(draft.c_str(), path.c_str()) == 0;
  const Status status = written ? ok_status() : Status(not_written(path, what));
  if (!written) (void)unlink(draft.c_str());
  close(fd);
  return status;
}

}  // namespace hone
