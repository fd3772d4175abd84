// The command line of a headless Chromium for one kind of kernels: with WebGPU, its timestamps, and WebGL, on software where there is no GPU, or
// without any GPU for WebAssembly.
#pragma once
#include <string>
#include <vector>

namespace hone::launch {

struct BrowserFlagsConfig {
  bool webgpu = true;  // and WebGL; else the page runs WebAssembly only
  bool gpu = false;    // a real adapter is there
  bool root = false;   // Chromium refuses to run as root with its sandbox
};

// Without profile and URL: what is worth recording with a device.
std::vector<std::string> browser_flags(const BrowserFlagsConfig& config);

}  // namespace hone::launch
