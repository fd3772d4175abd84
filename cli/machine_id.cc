#include "cli/machine_id.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/cat.h"
#include "base/private_file.h"
#include "base/secret.h"

namespace hone::cli {

namespace {

namespace fs = std::filesystem;

constexpr size_t kDigits = 32;

std::string state_folder() {
  if (const char* folder = std::getenv("XDG_STATE_HOME"); folder && *folder) return cat(folder, "/hone");
  if (const char* home = std::getenv("HOME"); home && *home) return cat(home, "/.local/state/hone");
  return "";
}

std::string read_id(const std::string& path) {
  std::string id(kDigits, '\0');
  std::ifstream(path, std::ios::binary).read(id.data(), kDigits);
  const bool whole =
      std::all_of(id.begin(), id.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
  return whole ? id : "";
}

// Written under another name first, so that whoever reads it at that moment reads it whole; of several the last stays.
std::string make_id(const std::string& path) {
  const std::string id = random_secret().substr(0, kDigits), draft = cat(path, ".", getpid());
  make_private_file(draft);
  std::ofstream(draft, std::ios::binary) << id << '\n';
  std::error_code failed;
  fs::rename(draft, path, failed);
  if (failed) fs::remove(draft, failed);
  return read_id(path);
}

}  // namespace

std::string machine_id() {
  const std::string folder = state_folder(), path = folder + "/machine_id";
  if (folder.empty()) return "";
  if (std::string id = read_id(path); !id.empty()) return id;
  std::error_code failed;
  fs::create_directories(folder, failed);
  return make_id(path);
}

}  // namespace hone::cli
