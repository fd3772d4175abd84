// Node.js in a browser's place: it runs the agent's WebAssembly on machines that have no browser.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace hone::launch {

// "node", or the path of a program of that name.
bool is_node(std::string_view browser);

// Fails with kInvalidArgument for kernels that Node.js cannot run; fine for other browsers.
Status check_browser_target(std::string_view browser, std::string_view target);

// 20 of "v20.20.2\n"; 0 where there is none.
int parse_node_major(std::string_view version);

// Asks the program for its version. Fails: kUnsupported for one that is too old, kNotFound for one that tells none; with the remedy.
Result<int> find_node_major(const std::string& program);

// What the agent needs on that version, and is worth recording with a device.
std::vector<std::string> node_flags(int major);

}  // namespace hone::launch
