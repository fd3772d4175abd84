#include "server/agent_files.h"

#include <cstdlib>
#include <filesystem>

namespace hone::server {

namespace fs = std::filesystem;

std::string find_agent_files() {
  if (const char* dir = std::getenv("HONE_AGENT_DIR"); dir && *dir) return dir;
  std::error_code error;
  fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* place : {"agent", "../share/hone/agent", "../../browser-agent/dist"}) {
    fs::path dir = (here / place).lexically_normal();
    if (fs::exists(dir / "index.html", error)) return dir.string();
  }
  return "";
}

}  // namespace hone::server
