#include "cli/token_file.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/cat.h"
#include "base/private_file.h"

namespace hone::cli {

bool is_token(const std::string& text) {
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return text.size() == 32 && std::all_of(text.begin(), text.end(), is_digit);
}

namespace {

constexpr size_t kTokenFileBytesMax = 128;

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

Status write_token_file(const std::string& path, const std::string& token, const std::string& what) {
  return write_private_file(path, token + "\n", what);
}

}  // namespace hone::cli
