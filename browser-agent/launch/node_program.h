// Node.js in a browser's place: it runs the agent's WebAssembly on machines that have no browser, and WebGPU by Dawn, Chromium's own, and starts
// the runners of native kernels, OpenGL's and OpenCL's.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace hone::launch {

// "node", the path of a program of that name, or "native": the agent is Node.js then, too.
bool is_node(std::string_view browser);

// True of kernels that the agent on Node.js leaves to a program of its own, hone_<target>_runner: native ones, OpenGL's and OpenCL's.
bool has_runner(std::string_view target);

// What was asked for, "" where nothing was. A browser says which kernels it runs as far as it runs one kind; else WebGPU, and a target says
// which browser: "native" for kernels that a runner runs, else "chromium".
struct AgentPlace {
  std::string browser;
  std::string target;
};
// The same with nothing empty. Fails: invalid_argument for kernels that the browser cannot run.
Result<AgentPlace> complete_place(AgentPlace place);

// 20 of "v20.20.2\n"; 0 where there is none.
int parse_node_major(std::string_view version);

// Asks the program for its version. Fails: kUnsupported for one that is too old, kNotFound for one that tells none; with the remedy.
Result<int> find_node_major(const std::string& program);

// The description of a software driver for Vulkan that Dawn takes, "" where there is none: Chromium's SwiftShader. (Dawn refuses Mesa 22's
// lavapipe, which Vulkan's loader finds by itself.)
std::string find_software_vulkan();

// What the agent needs on that version, and is worth recording with a device.
std::vector<std::string> node_flags(int major);

}  // namespace hone::launch
