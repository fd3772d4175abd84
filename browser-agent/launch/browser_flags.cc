#include "browser-agent/launch/browser_flags.h"

namespace hone::launch {

namespace {

std::vector<std::string> gpu_flags(const BrowserFlagsConfig& config) {
  if (!config.webgpu) return {"--disable-gpu"};
  // Timestamps of 1 ns instead of 100 µs, and WebGPU on adapters that Chromium holds for too new or too slow.
  std::vector<std::string> flags = {"--enable-unsafe-webgpu", "--enable-dawn-features=allow_unsafe_apis"};
  if (config.gpu)
    flags.insert(flags.end(), {"--enable-features=Vulkan", "--use-angle=vulkan", "--ignore-gpu-blocklist"});
  else
    flags.insert(flags.end(),
                 {"--use-webgpu-adapter=swiftshader", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"});
  return flags;
}

}  // namespace

std::vector<std::string> browser_flags(const BrowserFlagsConfig& config) {
  std::vector<std::string> flags = {
      "--headless=new",
      "--window-size=1100,900",
      "--no-first-run",
      "--no-default-browser-check",
      "--mute-audio",
      // Nothing but the agent may use the machine while kernels are timed.
      "--disable-sync",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-default-apps",
      "--disable-extensions",
      "--disable-quic",
      // A headless page counts as hidden for these.
      "--disable-background-timer-throttling",
      "--disable-renderer-backgrounding",
      "--disable-backgrounding-occluded-windows",
  };
  const std::vector<std::string> more = gpu_flags(config);
  flags.insert(flags.end(), more.begin(), more.end());
  if (config.root) flags.push_back("--no-sandbox");
  return flags;
}

}  // namespace hone::launch
