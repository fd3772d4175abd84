// Finds the browser and the GPU of this machine.
#pragma once
#include <string>
#include <string_view>

#include "base/result.h"

namespace hone::launch {

// The program behind a name ("chromium", "firefox", "node", "native" for the Node.js of a native agent, or a path with a slash) on a search path in the form of $PATH.
// Fails with kNotFound, saying what to install; kUnsupported for a browser that hone cannot start yet.
Result<std::string> find_browser(std::string_view name, std::string_view search_path);

// The program that VirtualDisplay starts. Fails with kNotFound, saying who needs it and what to install.
Result<std::string> find_virtual_display(std::string_view search_path);

// True when this machine has a driver for Vulkan, a software one too: Firefox and Node.js find their adapters there, Chromium brings one.
bool has_vulkan_driver();

// True when this machine has a render device; without one WebGPU runs on software.
bool has_gpu();

}  // namespace hone::launch
