#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "base/cat.h"
#include "base/net/limits.h"
#include "base/net/server.h"

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

HttpReply static_file(const std::string& folder, std::string_view prefix, std::string_view path) {
  const HttpReply missing = HttpReply::text(404, cat("there is no ", std::string(path.substr(0, 200))));
  if (path.substr(0, prefix.size()) != prefix || path.find('\0') != std::string_view::npos) return missing;
  std::string name(path.substr(prefix.size()));
  if (name.empty() || name.back() == '/') name += "index.html";
  if (name.front() == '/') return missing;
  std::error_code error;
  const fs::path root = fs::canonical(folder, error);
  if (error) return missing;
  const fs::path file = fs::canonical(root / name, error);
  if (error || !is_below(file, root) || !fs::is_regular_file(file, error)) return missing;
  if (fs::file_size(file, error) > kStaticFileBytesMax || error) return missing;
  std::ifstream in(file, std::ios::binary);
  if (!in) return missing;
  auto body = std::make_shared<const std::string>(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  return {.status = 200, .content_type = content_type(file), .body = std::move(body)};
}

}  // namespace hone::net
