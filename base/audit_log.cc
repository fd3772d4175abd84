#include "base/audit_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/cat.h"
#include "base/json_text.h"
#include "base/log.h"
#include "base/printable_text.h"
#include "base/utc_text.h"

namespace hone {

namespace {

int open_for_lines(const std::string& path) {
  return open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
}

// A regular file of its owner alone, whatever made it.
bool is_private_file(int fd, struct stat& file) {
  return fstat(fd, &file) == 0 && S_ISREG(file.st_mode) && ((file.st_mode & 077) == 0 || fchmod(fd, 0600) == 0);
}

// All of the line or nothing of it: half a line would spoil the next one, too.
bool append(int fd, off_t size, const std::string& line) {
  const ssize_t written = ::write(fd, line.data(), line.size());
  if (written == static_cast<ssize_t>(line.size())) return true;
  const int error = written < 0 ? errno : ENOSPC;
  if (written > 0) (void)!ftruncate(fd, size);
  errno = error;
  return false;
}

}  // namespace

void AuditLog::tell(std::string_view event, std::initializer_list<Field> fields) {
  if (config_.path.empty()) return;
  nlohmann::ordered_json entry{{"time", utc_text(wall_.now().count())}, {"event", std::string(event)}};
  for (const Field& field : fields) entry[std::string(field.name)] = field.value;
  const std::string line = printable(json_line(entry)) + "\n";
  const std::lock_guard lock(mutex_);
  const bool failed = !write(line);
  const int error = errno;
  if (failed && !fails_)
    log_warn(cat("the audit log ", config_.path,
                 " cannot be written, its lines are lost until it can: ", std::strerror(error)));
  fails_ = failed;
}

// Opened for each line, which are few: so the file may be moved or removed at any time.
bool AuditLog::write(const std::string& line) {
  struct stat file {};
  int fd = open_for_lines(config_.path);
  if (fd >= 0 && fstat(fd, &file) == 0 && file.st_size > 0 &&
      static_cast<size_t>(file.st_size) + line.size() > config_.bytes_max) {
    close(fd);
    turn();
    fd = open_for_lines(config_.path);
  }
  if (fd < 0) return false;
  errno = EPERM;
  const bool written = is_private_file(fd, file) && append(fd, file.st_size, line);
  const int error = errno;
  close(fd);
  errno = error;
  return written;
}

void AuditLog::turn() const {
  for (int i = config_.kept; i > 1; --i)
    (void)std::rename(cat(config_.path, ".", i - 1).c_str(), cat(config_.path, ".", i).c_str());
  (void)std::rename(config_.path.c_str(), cat(config_.path, ".1").c_str());
}

}  // namespace hone
