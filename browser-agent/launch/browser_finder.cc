#include "browser-agent/launch/browser_finder.h"

#include <unistd.h>

#include <filesystem>
#include <span>

#include "base/cat.h"

namespace hone::launch {
namespace {

constexpr std::string_view kChromiumPrograms[] = {"chromium", "chromium-browser", "google-chrome",
                                                  "google-chrome-stable", "chrome"};
constexpr std::string_view kFirefoxPrograms[] = {"firefox", "firefox-esr"};

std::string find_program(std::string_view name, std::string_view search_path) {
  while (!search_path.empty()) {
    const size_t end = search_path.find(':');
    const std::string path = cat(search_path.substr(0, end), '/', name);
    if (access(path.c_str(), X_OK) == 0) return path;
    search_path.remove_prefix(end == std::string_view::npos ? search_path.size() : end + 1);
  }
  return "";
}

std::string find_first(std::span<const std::string_view> names, std::string_view search_path) {
  for (std::string_view name : names)
    if (std::string path = find_program(name, search_path); !path.empty()) return path;
  return "";
}

}  // namespace

Result<std::string> find_virtual_display(std::string_view search_path) {
  std::string path = find_program("Xvfb", search_path);
  if (!path.empty()) return path;
  return Error{ErrorCode::kNotFound,
               "Firefox has WebGL on an X display only, and neither DISPLAY nor Xvfb is there; install it: apt-get "
               "install -y --no-install-recommends xvfb libpci3"};
}

Result<std::string> find_browser(std::string_view name, std::string_view search_path) {
  if (name.find('/') != std::string_view::npos) {
    std::string path(name);
    if (access(path.c_str(), X_OK) == 0) return path;
    return Error{
        ErrorCode::kNotFound,
        cat(name, " is not an executable program; give the path of a Chromium, Chrome or Firefox, or of node")};
  }
  if (name == "node" || name == "native") {
    std::string path = find_program("node", search_path);
    if (!path.empty()) return path;
    return Error{
        ErrorCode::kNotFound,
        "no Node.js on the PATH; install version 18 or newer: apt-get install -y --no-install-recommends nodejs"};
  }
  if (name == "firefox") {
    std::string path = find_first(kFirefoxPrograms, search_path);
    if (!path.empty()) return path;
    return Error{ErrorCode::kNotFound,
                 "no Firefox on the PATH; install one: apt-get install -y --no-install-recommends firefox-esr"};
  }
  if (name != "chromium")
    return Error{ErrorCode::kUnsupported,
                 cat("hone cannot start the browser ", name, " yet; use chromium, firefox, node, or native")};
  std::string path = find_first(kChromiumPrograms, search_path);
  if (!path.empty()) return path;
  return Error{ErrorCode::kNotFound,
               "no Chromium or Chrome on the PATH; install one: apt-get install -y --no-install-recommends chromium"};
}

bool has_vulkan_driver() {
  std::error_code ignored;
  for (const char* folder : {"/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d"})
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
      if (entry.path().extension() == ".json") return true;
  return false;
}

bool has_gpu() {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/dri", ignored))
    if (entry.path().filename().string().starts_with("renderD")) return true;
  return false;
}

}  // namespace hone::launch
