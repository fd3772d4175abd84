#include "codegen/package/archive.h"

#include "base/cat.h"
#include "base/json_text.h"
#include "schema/generated/manifest.h"

namespace hone::package {

namespace {

constexpr size_t kLengthBytes = 4;

Error bad(const std::string& what) { return {ErrorCode::kParseError, cat("the archive of a package ", what)}; }

}  // namespace

std::string archive_of(const Files& files) {
  protocol::PackageArchive header;
  for (const auto& [name, bytes] : files) header.files.push_back({.name = name, .bytes = bytes.size()});
  const std::string text = protocol::to_json(header).dump();
  std::string out;
  for (size_t i = 0; i < kLengthBytes; i++) out += static_cast<char>(text.size() >> (8 * i) & 0xff);
  out += text;
  for (const auto& [name, bytes] : files) out += bytes;
  return out;
}

Result<Files> files_of(std::string_view archive) {
  if (archive.size() < kLengthBytes) return bad(cat("has ", archive.size(), " bytes"));
  size_t length = 0;
  for (size_t i = 0; i < kLengthBytes; i++) length |= static_cast<size_t>(static_cast<unsigned char>(archive[i])) << (8 * i);
  archive.remove_prefix(kLengthBytes);
  if (length > archive.size() || length > protocol::kManifestBytesMax) return bad(cat("says that its header has ", length, " bytes"));
  HONE_ASSIGN(said, parse_json(archive.substr(0, length)));
  HONE_ASSIGN(header, protocol::from_json<protocol::PackageArchive>(said));
  archive.remove_prefix(length);
  Files files;
  for (const protocol::ArchivedFile& file : header.files) {
    if (file.bytes > archive.size()) return bad(cat("ends within ", file.name));
    files[file.name] = std::string(archive.substr(0, file.bytes));
    archive.remove_prefix(file.bytes);
  }
  if (!archive.empty()) return bad(cat("has ", archive.size(), " bytes behind its files"));
  return files;
}

}  // namespace hone::package
