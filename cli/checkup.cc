#include "cli/checkup.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sqlite3.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/cat.h"
#include "base/shell_quoted.h"
#include "browser-agent/launch/browser_finder.h"
#include "cli/find_runner.h"
#include "server/agent_files.h"

namespace hone::cli {

namespace fs = std::filesystem;

namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

struct Said {
  std::string line;  // the first
  bool works = false;
};

Said output_of(const std::string& command) {
  FILE* const pipe = popen(command.c_str(), "r");
  char line[512] = "";
  if (pipe && std::fgets(line, sizeof line, pipe)) line[std::strcspn(line, "\n")] = '\0';
  return {line, pipe && pclose(pipe) == 0};
}

}  // namespace

Finding check_browser(const std::string& search_path) {
  auto path = launch::find_browser("chromium", search_path);
  if (path.ok()) return {.name = "browser", .ok = true, .found = *path};
  return {.name = "browser",
          .found = path.error().message,
          .remedy = "apt-get install -y --no-install-recommends chromium"};
}

Finding check_firefox(const std::string& search_path) {
  const auto path = launch::find_browser("firefox", search_path);
  if (path.ok() && launch::has_vulkan_driver())
    return {.name = "firefox", .ok = true, .required = false, .found = *path};
  return {.name = "firefox",
          .required = false,
          .found = path.ok() ? cat(*path, ", but no driver for Vulkan, so it has no WebGPU") : path.error().message,
          .remedy =
              "apt-get install -y --no-install-recommends firefox-esr mesa-vulkan-drivers xvfb libpci3; only --browser "
              "firefox needs it"};
}

Finding check_node(const std::string& search_path) {
  const auto path = launch::find_browser("node", search_path);
  if (path.ok()) return {.name = "node", .ok = true, .required = false, .found = *path};
  return {.name = "node",
          .required = false,
          .found = path.error().message,
          .remedy = "apt-get install -y --no-install-recommends nodejs; only --browser node and native need it"};
}

Finding check_gpu() {
  if (launch::has_gpu()) return {.name = "gpu", .ok = true, .required = false, .found = "a render device in /dev/dri"};
  return {
      .name = "gpu",
      .required = false,
      .found = "no GPU (/dev/dri/renderD*); a headless Chromium measures with its software WebGPU adapter, SwiftShader",
      .remedy =
          "nothing for a trial; to tune for a real GPU open the URL of hone up in a browser on the machine that has it "
          "(Chromium on Linux: with --enable-unsafe-webgpu, and --use-webgpu-adapter=swiftshader where there is no "
          "GPU)"};
}

Finding check_agent_files(const std::string& dir) {
  if (!dir.empty() && fs::exists(fs::path(dir) / "index.html"))
    return {.name = "agent files", .ok = true, .found = dir};
  return {.name = "agent files",
          .found = dir.empty() ? "browser-agent/dist not found beside the binary" : cat("no index.html in ", dir),
          .remedy = "scripts/build, or set HONE_AGENT_DIR to the folder that holds the agent's index.html"};
}

Finding check_native_runner() {
  const auto runner = find_runner("native");
  if (runner.ok()) return {.name = "native", .ok = true, .required = false, .found = *runner};
  return {.name = "native",
          .required = false,
          .found = runner.error().message,
          .remedy = "scripts/build; only --target native needs it"};
}

namespace {

struct DriverCheck {
  std::string name, remedy;  // of a runner without a driver
};

const DriverCheck kOpenGl{
    "opengl",
    "apt-get install -y --no-install-recommends libegl1 libgles2 libgl1-mesa-dri; only --target opengl "
    "needs it, and --target webgl runs the same kernels in a browser"};
const DriverCheck kOpenCl{
    "opencl",
    "apt-get install -y --no-install-recommends ocl-icd-libopencl1 pocl-opencl-icd (it computes on the "
    "processor), or install the driver of the GPU's maker; only --target opencl needs it"};

Finding check_driver(const DriverCheck& check, const std::string& runner) {
  const auto [said, works] = output_of(shell_quoted(runner) + " --probe 2>&1");
  if (works) return {.name = check.name, .ok = true, .required = false, .found = said};
  return {.name = check.name, .required = false, .found = said, .remedy = check.remedy};
}

Finding check_driver(const DriverCheck& check) {
  const auto runner = find_runner(check.name);
  if (runner.ok()) return check_driver(check, *runner);
  return {.name = check.name,
          .required = false,
          .found = runner.error().message,
          .remedy = cat("scripts/build; only --target ", check.name, " needs it")};
}

}  // namespace

Finding check_opengl(const std::string& runner) { return check_driver(kOpenGl, runner); }
Finding check_opengl() { return check_driver(kOpenGl); }
Finding check_opencl(const std::string& runner) { return check_driver(kOpenCl, runner); }
Finding check_opencl() { return check_driver(kOpenCl); }

Finding check_port(uint16_t port) {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int one = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  bool free = fd >= 0 && bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  std::string why = free ? "" : std::strerror(errno);
  if (fd >= 0) close(fd);
  if (free) return {.name = "port", .ok = true, .required = false, .found = cat("127.0.0.1:", port, " is free")};
  return {
      .name = "port",
      .required = false,
      .found = cat("127.0.0.1:", port, ": ", why),
      .remedy =
          "a service may be running already (then use --tracker with its URL); or hone up --port with another number"};
}

Finding check_database(const std::string& path) {
  Finding finding{.name = "database"};
  bool exists = fs::exists(path);
  fs::path folder = fs::absolute(path).parent_path();
  if (!exists) {
    finding.ok = access(folder.c_str(), W_OK) == 0;
    finding.found = finding.ok ? cat(path, " will be created") : cat("folder ", folder.string(), " cannot be written");
    if (!finding.ok) finding.remedy = "choose another place with --db FILE";
    return finding;
  }
  sqlite3* db = nullptr;
  std::string verdict;
  auto keep = [](void* out, int, char** values, char**) {
    *static_cast<std::string*>(out) = values[0] ? values[0] : "";
    return 1;
  };
  if (sqlite3_open_v2(path.c_str(), &db, SQLITE_OPEN_READONLY, nullptr) != SQLITE_OK ||
      (sqlite3_exec(db, "PRAGMA quick_check(1)", keep, &verdict, nullptr), verdict.empty()))
    verdict = sqlite3_errmsg(db);
  sqlite3_close(db);
  finding.ok = verdict == "ok" && access(path.c_str(), W_OK) == 0;
  finding.found = finding.ok ? path : cat(path, ": ", verdict == "ok" ? "not writable" : verdict);
  if (!finding.ok)
    finding.remedy = verdict == "ok" ? "chmod u+w the file, or choose another with --db FILE"
                     : access(path.c_str(), W_OK) != 0 || access(folder.c_str(), W_OK) != 0
                         ? "allow writing to the file and its folder, or choose another with --db FILE"
                         : "choose another file with --db FILE; keep this one for a repair";
  return finding;
}

std::vector<Finding> check_machine(const CheckupConfig& config) {
  return {check_browser(environment("PATH")),
          check_firefox(environment("PATH")),
          check_node(environment("PATH")),
          check_gpu(),
          check_agent_files(server::find_agent_files()),
          check_native_runner(),
          check_opengl(),
          check_opencl(),
          check_port(config.port),
          check_database(config.db)};
}

bool all_required_ok(const std::vector<Finding>& findings) {
  return std::all_of(findings.begin(), findings.end(), [](const Finding& f) { return f.ok || !f.required; });
}

}  // namespace hone::cli
