// The command line under which a headless Chromium has WebGPU with timestamps, on software where there is no GPU.
#pragma once
#include <string>
#include <vector>

namespace hone::launch {

struct BrowserFlagsConfig {
  bool gpu = false;   // a real adapter is there
  bool root = false;  // Chromium refuses to run as root with its sandbox
};

// Without profile and URL: what is worth recording with a device.
std::vector<std::string> browser_flags(const BrowserFlagsConfig& config);

}  // namespace hone::launch
