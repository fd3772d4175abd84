#include "cli/token_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/cat.h"

namespace hone::cli {

bool is_token(const std::string& text) {
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return text.size() == 32 && std::all_of(text.begin(), text.end(), is_digit);
}

namespace {

constexpr size_t kTokenFileBytesMax = 128;

Error not_written(const std::string& path, const std::string& what) {
  return {errno == ENOSPC ? ErrorCode::kDiskFull : ErrorCode::kIoError,
          cat(what, " cannot be kept in ", path, ": ", std::strerror(errno), "; make room there, or remove what is in the way")};
}

}  // namespace

Result<std::string> read_token_file(const std::string& path) {
  std::ifstream in(path);
  if (!in)
    return Error{errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIoError,
                 cat("--token-file ", path, ": ", std::strerror(errno), "; give the file that holds the token")};
  std::string word(kTokenFileBytesMax, '\0');
  in.read(word.data(), static_cast<std::streamsize>(word.size()));
  word.resize(static_cast<size_t>(in.gcount()));
  word.erase(std::find_if(word.rbegin(), word.rend(), [](unsigned char c) { return !std::isspace(c); }).base(), word.end());
  if (is_token(word)) return word;
  return Error{ErrorCode::kInvalidArgument,
               cat("--token-file ", path, ": found no token, expected 32 hexadecimal digits, as hone tokens create prints them")};
}

// Written beside it first, so that whoever is killed meanwhile leaves a whole token or none.
Status write_token_file(const std::string& path, const std::string& token, const std::string& what) {
  const std::string draft = path + ".new", text = token + "\n";
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

}  // namespace hone::cli
