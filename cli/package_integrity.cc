#include "cli/package_integrity.h"

#include "base/base64.h"
#include "base/cat.h"
#include "base/sha256.h"
#include "cli/package_folder.h"
#include "cli/source.h"

namespace hone::cli {

namespace {

constexpr const char* kVouchedByPage[] = {"index.js", "page.js", "worker.js", "runtime.wasm"};

std::string integrity_of(const std::string& content) {
  const std::string hex = sha256_hex(content);
  std::string digest;
  for (size_t i = 0; i < hex.size(); i += 2) digest += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return cat("sha256-", base64(digest));
}

bool is_manifest(const std::string& name) { return name.rfind("manifest", 0) == 0; }

}  // namespace

Result<std::map<std::string, std::string>> package_integrity(const std::map<std::string, std::string>& files) {
  HONE_ASSIGN(runtime, runtime_folder());
  std::map<std::string, std::string> out;
  for (const auto& [name, content] : files)
    if (is_manifest(name)) out[name] = integrity_of(content);
  for (const char* name : kVouchedByPage) {
    HONE_ASSIGN(content, read_file(cat(runtime, "/", name)));
    out[name] = integrity_of(content);
  }
  return out;
}

}  // namespace hone::cli
