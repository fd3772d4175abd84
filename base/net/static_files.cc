#include "base/net/static_files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "base/cat.h"
#include "base/net/limits.h"

namespace hone::net {

namespace fs = std::filesystem;

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kContentTypes{{
    {".html", "text/html; charset=utf-8"}, {".js", "text/javascript; charset=utf-8"}, {".mjs", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"}, {".json", "application/json"}, {".map", "application/json"}, {".wasm", "application/wasm"},
    {".svg", "image/svg+xml"}, {".png", "image/png"}, {".ico", "image/x-icon"}, {".txt", "text/plain; charset=utf-8"},
}};

std::string content_type(const fs::path& file) {
  const std::string extension = file.extension().string();
  for (const auto& [suffix, type] : kContentTypes)
    if (suffix == extension) return std::string(type);
  return "application/octet-stream";
}

// Both paths without links and "..", so that a prefix of components proves that the file lies below the folder.
bool is_below(const fs::path& file, const fs::path& folder) {
  const auto [folder_end, unused] = std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
  return folder_end == folder.end();
}

}  // namespace

HttpReply HttpReply::text(int status, std::string message) {
  return {.status = status, .body = std::make_shared<const std::string>(message + "\n")};
}

StaticFiles::StaticFiles(const std::string& folder) {
  std::error_code error;
  const fs::path root = fs::canonical(folder, error);
  size_t bytes_left = kStaticBytesMax;
  for (fs::recursive_directory_iterator at(root, error), end; !error && at != end && files_.size() < kStaticFilesMax; at.increment(error)) {
    std::error_code failed;
    const fs::path file = fs::canonical(at->path(), failed);
    if (failed || !is_below(file, root) || !fs::is_regular_file(file, failed)) continue;
    if (fs::file_size(file, failed) > bytes_left || failed) continue;
    std::ifstream in(file, std::ios::binary);
    auto body = std::make_shared<const std::string>(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    bytes_left -= std::min(bytes_left, body->size());
    files_[at->path().lexically_relative(root).generic_string()] = {.status = 200, .content_type = content_type(file), .body = std::move(body)};
  }
}

HttpReply StaticFiles::reply(std::string_view prefix, std::string_view path) const {
  std::string name(path.starts_with(prefix) ? path.substr(prefix.size()) : std::string_view());
  if (path.starts_with(prefix) && (name.empty() || name.back() == '/')) name += "index.html";
  const auto found = files_.find(name);
  return found == files_.end() ? HttpReply::text(404, cat("there is no ", std::string(path.substr(0, 200)))) : found->second;
}

}  // namespace hone::net
