#include "cli/database_owner.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/cat.h"
#include "base/sql/database.h"

namespace hone::cli {

namespace {

constexpr size_t kWhoBytesMax = 200;

// Links and relative paths lead to the same file. It is made where it is not there: a link to nothing has no real path. One that is there is not
// opened: where this process has it open already, closing it again would take SQLite's locks away.
std::string real_path(const std::string& db) {
  std::error_code error;
  if (!std::filesystem::exists(db, error)) {
    const int made = open(db.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (made >= 0) close(made);
  }
  const auto path = std::filesystem::canonical(db, error);
  return error ? db : path.string();
}

std::string who_has(int fd) {
  std::array<char, kWhoBytesMax> text{};
  const ssize_t size = pread(fd, text.data(), text.size(), 0);
  std::string who(text.data(), static_cast<size_t>(std::max<ssize_t>(0, size)));
  std::replace_if(
      who.begin(), who.end(), [](unsigned char c) { return c < ' ' || c > '~'; }, '?');
  return who.empty() ? "another process" : who;
}

}  // namespace

std::string files_beside(const std::string& db) {
  if (!sql::is_postgres(db)) return db;
  const std::string path = db.substr(0, db.find('?'));
  const std::string name = path.substr(path.rfind('/') + 1);
  return name.empty() ? "hone" : name;
}

Result<DatabaseOwner> DatabaseOwner::take(const std::string& db, const std::string& what) {
  HONE_TRY(sql::check_is_file(db));
  std::error_code ignored;
  if (std::filesystem::is_directory(db, ignored))
    return Error{ErrorCode::kIoError, cat(db, " is a folder, expected a database; give a file in it")};
  const std::string path = real_path(db) + ".owner";
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0)
    return Error{ErrorCode::kIoError, cat("the database ", db, " cannot be locked: ", path, ": ", std::strerror(errno),
                                          "; check that its folder exists and can be written, or give another --db")};
  DatabaseOwner owner(fd, what);
  if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
    owner.tell(cat(what, ", process ", getpid()));
    return owner;
  }
  const int error = errno;
  const std::string who = who_has(fd);
  close(std::exchange(owner.fd_, -1));
  if (error != EWOULDBLOCK)
    return Error{ErrorCode::kIoError,
                 cat("the database ", db, " cannot be locked: ", path, ": ", std::strerror(error))};
  return Error{ErrorCode::kBusy, cat("the database ", db, " is in use by ", who,
                                     "; use that service with --tracker URL, or another database with --db")};
}

DatabaseOwner::DatabaseOwner(DatabaseOwner&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), what_(std::move(other.what_)) {}

DatabaseOwner::~DatabaseOwner() {
  if (fd_ < 0) return;
  tell("");
  close(fd_);  // the file stays: whoever removed it could remove the next owner's
}

void DatabaseOwner::tell_port(uint16_t port) { tell(cat(what_, ", process ", getpid(), ", port ", port)); }

// Only for people, so that it may fail.
void DatabaseOwner::tell(const std::string& who) {
  if (ftruncate(fd_, 0) == 0) (void)!pwrite(fd_, who.data(), std::min(who.size(), kWhoBytesMax), 0);
}

}  // namespace hone::cli
