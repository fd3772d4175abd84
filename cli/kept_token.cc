#include "cli/kept_token.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/secret.h"
#include "cli/token_file.h"

namespace hone::cli {

namespace {

// "" where there is none that only its owner knows. A pipe is not waited for, and a link not followed.
std::string read_token(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return "";
  struct stat file {};
  std::string text(32, '\0');
  const bool mine = fstat(fd, &file) == 0 && S_ISREG(file.st_mode) && file.st_uid == geteuid() && (file.st_mode & 077) == 0;
  const bool whole = mine && read(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(fd);
  return whole && is_token(text) ? text : "";
}

}  // namespace

Result<std::string> kept_token(const std::string& path) {
  if (std::string kept = read_token(path); !kept.empty()) return kept;
  std::string token = random_secret();
  HONE_TRY(write_token_file(path, token, "the service's token"));
  return token;
}

}  // namespace hone::cli
