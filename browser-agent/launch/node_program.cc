#include "browser-agent/launch/node_program.h"

#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <memory>

#include "base/cat.h"
#include "base/shell_quoted.h"

namespace hone::launch {
namespace {

constexpr int kMajorMin = 18;
constexpr int kMajorWithRelaxedSimd = 21;
constexpr std::string_view kSwiftShaders[] = {"/usr/lib/chromium/vk_swiftshader_icd.json",
                                              "/usr/lib/chromium-browser/vk_swiftshader_icd.json",
                                              "/opt/google/chrome/vk_swiftshader_icd.json"};

}  // namespace

bool is_node(std::string_view browser) {
  return browser == "node" || browser == "native" || browser.ends_with("/node");
}

bool has_runner(std::string_view target) { return target == "native" || target == "opengl" || target == "opencl"; }

Result<AgentPlace> complete_place(AgentPlace place) {
  if (place.target.empty()) place.target = place.browser == "native" ? "native" : "webgpu";
  const bool by_runner = has_runner(place.target);
  if (place.browser.empty()) place.browser = by_runner ? "native" : "chromium";
  if (place.browser == "native" && !by_runner)
    return Error{ErrorCode::kInvalidArgument, cat("the native agent cannot run kernels for ", place.target,
                                                  ": give --target native, opengl or opencl with it")};
  if (!is_node(place.browser) && by_runner)
    return Error{ErrorCode::kInvalidArgument, cat("a browser cannot run kernels for ", place.target,
                                                  ": give --browser native instead of ", place.browser)};
  if (is_node(place.browser) && place.target == "webgl")
    return Error{ErrorCode::kInvalidArgument,
                 "Node.js has no WebGL: give --target opengl, opencl, wasm or native with --browser node"};
  return place;
}

int parse_node_major(std::string_view version) {
  int major = 0;
  if (version.starts_with('v')) std::from_chars(version.data() + 1, version.data() + version.size(), major);
  return major;
}

Result<int> find_node_major(const std::string& program) {
  const std::unique_ptr<FILE, int (*)(FILE*)> answer(
      popen(cat(shell_quoted(program), " --version 2>/dev/null").c_str(), "r"), pclose);
  char line[64] = "";
  if (answer && std::fgets(line, sizeof line, answer.get()) == nullptr) line[0] = '\0';
  const int major = parse_node_major(line);
  if (major == 0)
    return Error{ErrorCode::kNotFound,
                 cat(program, " --version does not answer as Node.js does; install Node.js ", kMajorMin, " or newer")};
  if (major < kMajorMin)
    return Error{ErrorCode::kUnsupported, cat(program, " is Node.js ", major, "; the agent needs ", kMajorMin,
                                              " or newer: install it from https://nodejs.org")};
  return major;
}

std::string find_software_vulkan() {
  for (std::string_view path : kSwiftShaders)
    if (access(path.data(), R_OK) == 0) return std::string(path);
  return "";
}

std::vector<std::string> node_flags(int major) {
  if (major < kMajorWithRelaxedSimd) return {"--experimental-wasm-relaxed-simd"};
  return {};
}

}  // namespace hone::launch
